// SPDX-License-Identifier: GPL-2.0-only

// Package matrix is the table of what was shown on each kernel: the module's
// tests and the medians of one plain run, the receiver on the timer's CPU and
// on another one.
package matrix

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Row is one kernel's line.
type Row struct {
	Kernel, Release string
	RT              bool
	Passed, Tests   int
	SameNS, OtherNS int64 // medians in virtual time
	Trouble         error // why the row is not complete
}

// OK tells whether all of the row was shown.
func (r Row) OK() bool { return r.Trouble == nil && r.Tests > 0 && r.Passed == r.Tests }

var verdict = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): `)

// Count counts the verdicts that a verbose test binary printed on its tests,
// subtests apart.
func Count(output string) (passed, tests int) {
	for _, m := range verdict.FindAllStringSubmatch(output, -1) {
		tests++
		if m[1] == "PASS" {
			passed++
		}
	}
	return passed, tests
}

// Median returns the median of a run from what sigwait --json prints.
func Median(output []byte) (int64, error) {
	var run struct {
		Counts  struct{ Lost, Refused uint64 }
		Latency struct {
			P50 int64 `json:"p50"`
		} `json:"latency_ns"`
	}
	if err := json.Unmarshal(output, &run); err != nil {
		return 0, fmt.Errorf("read sigwait's figures: %w", err)
	}
	if run.Counts.Lost+run.Counts.Refused > 0 || run.Latency.P50 <= 0 {
		return 0, fmt.Errorf("%d signals lost, %d refused, median %d ns", run.Counts.Lost, run.Counts.Refused, run.Latency.P50)
	}
	return run.Latency.P50, nil
}

// Text returns the table as Markdown.
func Text(rows []Row) string {
	var b strings.Builder
	b.WriteString("| kernel | release | PREEMPT_RT | tests passed | median, same CPU | other CPU |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		rt := "no"
		if r.RT {
			rt = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d of %d | %s | %s |\n", r.Kernel, r.Release, rt, r.Passed, r.Tests, ns(r.SameNS), ns(r.OtherNS))
	}
	return b.String()
}

func ns(v int64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%d ns", v)
}

// Marks around the table in a document.
const (
	begin = "<!-- matrix -->\n"
	end   = "<!-- end of matrix -->\n"
)

// Replace returns the document with another table between its marks.
func Replace(document, table string) (string, error) {
	head, rest, ok := strings.Cut(document, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("no lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + table + end + tail, nil
}
