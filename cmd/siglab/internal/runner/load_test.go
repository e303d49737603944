// SPDX-License-Identifier: GPL-2.0-only

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"siglat/cmd/siglab/internal/load"
	"siglat/cmd/siglab/internal/plan"
)

// A load is bound with its children, runs until it is ended, and leaves no
// child behind.
func TestLoadBeside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	script := "grep Cpus_allowed_list /proc/self/status > $0; sleep 1000 & echo $! >> $0; wait"
	end, err := loadBeside(plan.Run{Load: &load.Load{CPU: 0, Args: []string{"sh", "-c", script, file}}})
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for len(words) < 3 {
		text, _ := os.ReadFile(file)
		words = strings.Fields(string(text))
		time.Sleep(time.Millisecond)
	}
	if words[1] != "0" {
		t.Errorf("bound to CPUs %s", words[1])
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	// A child that was killed may still be on its way, or wait for its new parent.
	gone := func() bool {
		state, err := os.ReadFile("/proc/" + words[2] + "/stat")
		return err != nil || strings.Contains(string(state), ") Z")
	}
	for end := time.Now().Add(10 * time.Second); !gone(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the child is still there")
		}
	}
}

func TestLoadEndsEarly(t *testing.T) {
	var early error
	for run := time.Millisecond; early == nil && run < time.Minute; run *= 8 { // a busy machine is slow to run it
		end, err := loadBeside(plan.Run{Load: &load.Load{CPU: load.AnyCPU, Args: []string{"false"}}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(run)
		early = end()
	}
	if early == nil || !strings.Contains(early.Error(), "the load ended before the run") {
		t.Errorf("got %v", early)
	}
	for _, l := range []load.Load{{CPU: load.AnyCPU, Args: []string{"no-such-program-here"}}, {CPU: 1023, Args: []string{"true"}}} {
		if _, err := loadBeside(plan.Run{Load: &l}); err == nil {
			t.Errorf("%v was started", &l)
		}
	}
	if end, err := loadBeside(plan.Run{}); err != nil || end() != nil {
		t.Errorf("no load: %v", err)
	}
}
