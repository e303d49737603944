// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"

	"siglat/analysis/recording"
	"siglat/plots"
)

// answers puts first what the reader wants to know first.
func answers(runs []*recording.Recording, v view) []answer {
	fastest, worst := -1, -1
	for i, r := range runs {
		f, ok := hasSamples(r)
		if !ok {
			continue
		}
		if r.HasQuantiles() && (fastest < 0 || f.P50 < summaryOf(runs[fastest]).P50) {
			fastest = i
		}
		if worst < 0 || f.Max > summaryOf(runs[worst]).Max {
			worst = i
		}
	}
	if worst < 0 {
		return []answer{{Question: "Fastest set-up", Answer: "no samples", Detail: "no run received a signal", Bad: true}}
	}
	var out []answer
	if fastest >= 0 {
		r := runs[fastest]
		out = append(out, answer{
			Question: "Fastest set-up", Answer: ns(summaryOf(r).P50),
			Detail: "median of " + nameAndSetup(r), Link: v.id(fastest),
		})
	}
	return append(out, answer{
		Question: "Worst sample", Answer: ns(summaryOf(runs[worst]).Max),
		Detail: "in " + nameAndSetup(runs[worst]) + when(runs[worst]), Link: v.id(worst),
	})
}

func nameAndSetup(r *recording.Recording) string {
	if d := setupOf(r).describe(Kernel); d != "" {
		return r.Name + ": " + d
	}
	return r.Name
}

func when(r *recording.Recording) string {
	if len(r.Worst) == 0 || r.Worst[0].LatencyNS != summaryOf(r).Max {
		return ""
	}
	return fmt.Sprintf(", %.3f\u00a0s after its start", float64(r.Worst[0].ReceivedNS)/1e9)
}

func lostAnswer(runs []*recording.Recording) answer {
	lost, due := losses(runs)
	unknown := 0
	for _, r := range runs {
		if !r.HasRun {
			unknown++
		}
	}
	a := answer{Question: "Lost signals"}
	switch {
	case unknown == len(runs):
		a.Answer, a.Detail = "unknown", "these inputs do not say what was sent"
		return a
	case lost > 0:
		var in []string
		for _, r := range runs {
			if r.Counts.Lost+r.Counts.Refused > 0 {
				in = append(in, r.Name)
			}
		}
		a.Answer, a.Bad = plots.Count(lost), true
		a.Detail = fmt.Sprintf("of %s sent or refused, in %s", plots.Count(due), some(in, ", "))
	default:
		a.Answer, a.Detail = "none", fmt.Sprintf("all %s signals were received", plots.Count(due))
	}
	if unknown > 0 {
		a.Detail += fmt.Sprintf("; unknown for %d of %d runs", unknown, len(runs))
	}
	return a
}

func warningAnswer(n int) answer {
	if n == 0 {
		return answer{Question: "Warnings", Answer: "none", Detail: "nothing makes these figures doubtful"}
	}
	return answer{Question: "Warnings", Answer: fmt.Sprint(n), Detail: "listed below", Bad: true}
}

// allWarnings lists every warning once, with the runs that carry it, then
// what sets the two sides of comparisons apart.
func allWarnings(runs []*recording.Recording, comparisons []Comparison, v view) []warning {
	var out []warning
	index := map[string]int{}
	for i, r := range runs {
		for _, text := range runWarnings(r) {
			at, ok := index[text]
			if !ok {
				at = len(out)
				index[text] = at
				out = append(out, warning{Text: text})
			}
			if w := &out[at]; len(w.Runs) < most {
				w.Runs = append(w.Runs, link{v.id(i), r.Name})
			} else {
				w.More++
			}
		}
	}
	if mixed(runs) {
		out = append(out, warning{Text: "runs in virtual time and in real time are mixed here: their figures do not compare"})
	}
	pairs := map[string]int{}
	var texts []string
	for _, c := range comparisons {
		for _, text := range c.differences() {
			texts = addNew(texts, text)
			pairs[text]++
		}
	}
	for _, text := range texts {
		out = append(out, warning{Text: fmt.Sprintf("in %d of %d comparisons, the %s", pairs[text], len(comparisons), text)})
	}
	return out
}

// runWarnings returns the run's own warnings and what its figures tell.
func runWarnings(r *recording.Recording) []string {
	out := append([]string(nil), r.Warnings...)
	if n := r.Counts.Lost; n > 0 {
		out = append(out, fmt.Sprintf("%s of %s signals lost", plots.Count(n), plots.Count(r.Counts.Sent)))
	}
	if n := r.Counts.Refused; n > 0 {
		out = append(out, fmt.Sprintf("%s signals refused by the kernel", plots.Count(n)))
	}
	if r.HasRun && !r.Complete {
		out = append(out, "ended before its count or duration")
	}
	if summaryOf(r).Count == 0 {
		out = append(out, "no samples")
	}
	return out
}

func mixed(runs []*recording.Recording) bool {
	clocks := map[string]bool{}
	for _, r := range runs {
		if r.Clock != "" {
			clocks[r.Clock] = true
		}
	}
	return len(clocks) > 1
}
