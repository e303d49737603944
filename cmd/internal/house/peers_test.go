// SPDX-License-Identifier: GPL-2.0-only

package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// described is what a command tells of itself.
type described struct {
	Groups []struct {
		Flags []struct{ Name, Short string }
	}
	Sub []described
}

func (d *described) add(known map[string]bool) {
	for _, g := range d.Groups {
		for _, f := range g.Flags {
			known["--"+f.Name], known["-"+f.Short] = true, true
		}
	}
	for _, s := range d.Sub {
		s.add(known)
	}
}

var flagForm = regexp.MustCompile(`--?[a-z][a-z-]*`)

// TestPeers: the flags that sigwait's README.md gives for those of other tools exist,
// and no flag of Xenomai's latency is without an answer.
func TestPeers(t *testing.T) {
	dir := tree(t)
	known := map[string]bool{}
	for _, name := range []string{"sigwait", "sigreport"} {
		out, _ := exec.Command(filepath.Join(dir, "build", "bin", name), "--describe").Output()
		var d described
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d.add(known)
	}
	b, err := os.ReadFile(filepath.Join(root, "cmd/sigwait/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, peer, xenomai := 0, "", ""
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "---") {
			continue
		}
		if strings.TrimSpace(cells[2]) == "here" {
			peer = cells[1]
			continue
		}
		rows++
		if strings.Contains(peer, "Xenomai") {
			xenomai += cells[1]
		}
		for i, code := range strings.Split(cells[2], "`") {
			for _, flag := range flagForm.FindAllString(code, -1) {
				if i%2 == 1 && strings.Contains(" "+code, " "+flag) && !known[flag] {
					t.Errorf("%s: no command has %s", strings.TrimSpace(line), flag)
				}
			}
		}
	}
	for _, flag := range strings.Fields("-p -T -t -P -c -s -l -q -h -H -B -g -f -b") {
		if !strings.Contains(xenomai, "`"+flag) {
			t.Errorf("no answer to Xenomai's %s", flag)
		}
	}
	if rows < 30 {
		t.Errorf("%d rows", rows)
	}
}
