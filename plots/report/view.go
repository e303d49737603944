// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"cmp"
	"fmt"
	"slices"

	"siglat/analysis/recording"
)

// Sizes of a report of many runs. A page with the pictures of hundreds opens
// slowly and nobody looks at them.
const (
	manyRuns   = 48 // more than these: sections for some
	worstRuns  = 12 // of the highest latency
	troubled   = 6  // that lost signals
	firstRuns  = 1
	latestRuns = 1
)

// A view says which runs have a section of their own.
type view struct {
	all     bool
	section map[int]bool
}

func newView(runs []*recording.Recording) view {
	v := view{all: len(runs) <= manyRuns, section: map[int]bool{}}
	if v.all {
		return v
	}
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	for i := range firstRuns {
		v.section[i] = true
	}
	for i := range latestRuns {
		v.section[len(runs)-1-i] = true
	}
	take := func(n int, wanted func(i int) bool, compare func(a, b int) int) {
		list := slices.Clone(order)
		slices.SortStableFunc(list, compare)
		for _, i := range list {
			if n > 0 && wanted(i) {
				v.section[i] = true
				n--
			}
		}
	}
	samples := func(i int) bool { _, ok := hasSamples(runs[i]); return ok }
	take(worstRuns, samples, func(a, b int) int { return cmp.Compare(summaryOf(runs[b]).Max, summaryOf(runs[a]).Max) })
	middle := func(i int) bool { return samples(i) && runs[i].HasQuantiles() }
	take(1, middle, func(a, b int) int { return cmp.Compare(summaryOf(runs[a]).P50, summaryOf(runs[b]).P50) })
	lost := func(i int) uint64 { return runs[i].Counts.Lost + runs[i].Counts.Refused }
	take(troubled, func(i int) bool { return lost(i) > 0 }, func(a, b int) int { return cmp.Compare(lost(b), lost(a)) })
	return v
}

func (v view) shows(i int) bool { return v.all || v.section[i] }

// id is where a run is found: its section, or its row of the table.
func (v view) id(i int) string {
	if v.shows(i) {
		return runID(i)
	}
	return rowID(i)
}

func rowID(i int) string { return fmt.Sprintf("row-%d", i+1) }

// note says what is left out and where to find it.
func (v view) note(n int) string {
	if v.all {
		return ""
	}
	return fmt.Sprintf("%d of %d runs have a section of their own: the %d with the highest latency, the fastest, up to %d that lost signals, the first and the last. "+
		"All others stand in the table of runs with all their figures and in the pictures of all runs; their pictures, configuration and worst samples are shown by a report of fewer runs.",
		len(v.section), n, worstRuns, troubled)
}
