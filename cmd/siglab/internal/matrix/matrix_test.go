// SPDX-License-Identifier: GPL-2.0-only

package matrix

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"siglat/cmd/siglab/internal/kernel"
)

func TestCount(t *testing.T) {
	out := "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestB/x (0.00s)\n--- FAIL: TestB (1.00s)\n--- SKIP: TestC (0.00s)\nPASS\n"
	if passed, tests := Count(out); passed != 1 || tests != 3 {
		t.Errorf("%d of %d; want 1 of 3", passed, tests)
	}
}

func TestMedian(t *testing.T) {
	if ns, err := Median([]byte(`{"counts":{"sent":5,"lost":0},"latency_ns":{"p50":4321}}`)); ns != 4321 || err != nil {
		t.Errorf("%d, %v", ns, err)
	}
	for _, bad := range []string{"", "{}", `{"counts":{"lost":1},"latency_ns":{"p50":4321}}`, `{"counts":{"refused":1},"latency_ns":{"p50":1}}`} {
		if ns, err := Median([]byte(bad)); err == nil {
			t.Errorf("%q: %d and no error", bad, ns)
		}
	}
}

func TestRowOK(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want bool
	}{
		{Row{Passed: 3, Tests: 3}, true},
		{Row{Passed: 2, Tests: 3}, false},
		{Row{}, false},
		{Row{Passed: 3, Tests: 3, Trouble: errors.New("x")}, false},
	} {
		if c.row.OK() != c.want {
			t.Errorf("%+v: %v", c.row, !c.want)
		}
	}
}

func TestReplace(t *testing.T) {
	doc := "a\n<!-- matrix -->\nold\n<!-- end of matrix -->\nb\n"
	got, err := Replace(doc, "new\n")
	if want := strings.Replace(doc, "old", "new", 1); got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Replace("a\n", "new\n"); err == nil {
		t.Error("no marks, no error")
	}
}

var cell = regexp.MustCompile(`^\| (\S+) \| (\d+\.\d+\S*) \| (yes|no) \| (\d+) of (\d+) \| (\d+) ns \| (\d+) ns \|$`)

// TestReadme: the table in README.md is one that Text made, in the order of
// the kernels that there are, and nothing failed.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), begin)
	table, _, ok := strings.Cut(rest, end)
	head := Text(nil)
	if !ok || !strings.HasPrefix(table, head) {
		t.Fatalf("no table with the head\n%s", head)
	}
	left := kernel.All
	for line := range strings.Lines(table[len(head):]) {
		m := cell.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || m[4] != m[5] {
			t.Fatalf("line %q: not a kernel with all tests passed", line)
		}
		i := slices.IndexFunc(left, func(k kernel.Kernel) bool { return k.Name == m[1] && k.RT() == (m[3] == "yes") })
		if i < 0 {
			t.Fatalf("line %q: no such kernel, or out of order", line)
		}
		if i > 0 {
			t.Errorf("kernel %s is missing before %s", left[0].Name, m[1])
		}
		left = left[i+1:]
	}
	if len(left) > 0 {
		t.Errorf("kernel %s is missing", left[0].Name)
	}
}
