// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"strings"
	"testing"
)

// A report of two years is small; every run stands in its table, and what has
// no section of its own is told.
func TestManyRuns(t *testing.T) {
	runs := years(730)
	page := write(t, runs, Options{})
	if limit := 4_000_000; len(page) > limit {
		t.Errorf("page of %d runs has %d bytes, want at most %d", len(runs), len(page), limit)
	}
	for _, want := range []string{"730 runs", "All 730 runs behind each other", "The first 8 of 730 runs", "of 730\u00a0000 sent or refused, in run-501", "7 of 1000 signals lost", "365 runs pooled"} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	sections := strings.Count(page, `<article class="run"`)
	if want := fmt.Sprintf("%d of 730 runs have a section of their own", sections); !strings.Contains(page, want) || sections < worstRuns {
		t.Errorf("%d sections, and the page does not say %q", sections, want)
	}
	table := page[strings.Index(page, `<table class="runs`):]
	table = table[:strings.Index(table, "</table>")]
	for i, r := range runs {
		if n := strings.Count(table, ">"+r.Name+"<"); n != 1 {
			t.Errorf("%s stands in the table %d times", r.Name, n)
		}
		if f := summaryOf(r); !strings.Contains(table, micros(f.Max)) {
			t.Errorf("the table lacks the maximum of run %d", i+1)
		}
	}
	worst := newView(runs).section
	for _, i := range []int{0, 729, 500, 719} { // first, last, with losses, highest
		if !worst[i] {
			t.Errorf("run %d has no section", i+1)
		}
	}
}

// The matrix has every pair; many runs are pooled by their set-up.
func TestMatrix(t *testing.T) {
	runs := article()
	m := newMatrix(runs, newView(runs))
	if len(m.Rows) != 5 || len(m.Rows[0].Cells) != 5 {
		t.Fatalf("%d rows", len(m.Rows))
	}
	for i, row := range m.Rows {
		for k, c := range row.Cells {
			a, b := summaryOf(runs[i]).P50, summaryOf(runs[k]).P50
			want := map[bool]string{true: "faster", false: "slower"}[a < b]
			if i == k {
				want = "none"
			}
			if c.Class != want || i != k && c.Text != times(float64(a)/float64(b)) {
				t.Errorf("%s against %s: %+v, want %s", row.Name, m.Names[k].Name, c, want)
			}
		}
	}
	many := years(40)
	m = newMatrix(many, newView(many))
	if len(m.Rows) != 2 || !strings.Contains(m.Names[0].Name, "(20 runs)") || !strings.Contains(m.Caption, "pooled") {
		t.Errorf("40 runs: %+v", m.Names)
	}
	if m := newMatrix(runs[:1], newView(runs[:1])); m != nil {
		t.Errorf("one run: %+v", m)
	}
}
