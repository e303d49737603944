// SPDX-License-Identifier: GPL-2.0-only

// Package comparison sets two recordings side by side.
package comparison

import (
	"fmt"
	"math"

	"siglat/analysis/recording"
)

// A Pair compares B with A.
type Pair struct {
	A, B     *recording.Recording
	Median   Difference
	P99      Difference
	Max      Difference
	Sentence string   // which is faster by its median, and by how much
	Setup    []string // what the user chose differently: "placement: same, other"
	Warnings []string // what makes the comparison doubtful
}

// A Difference is one figure of both sides, in ns.
type Difference struct{ A, B int64 }

// NS returns B minus A in ns.
func (d Difference) NS() int64 { return d.B - d.A }

// Percent returns the change from A to B in percent of A, NaN when A is not
// positive.
func (d Difference) Percent() float64 {
	if d.A <= 0 {
		return math.NaN()
	}
	return 100 * (float64(d.B) - float64(d.A)) / float64(d.A)
}

// fewSamples is the number of samples below which a percentile of 99 rests on
// less than one of them.
const fewSamples = 100

// Compare compares two recordings. It fails when one holds no samples.
func Compare(a, b *recording.Recording) (*Pair, error) {
	for _, r := range []*recording.Recording{a, b} {
		if r.Latency.Count == 0 {
			return nil, fmt.Errorf("compare %s: it holds no latencies", r.Name)
		}
	}
	p := &Pair{
		A: a, B: b,
		Median: Difference{a.Latency.P50, b.Latency.P50},
		P99:    Difference{a.Latency.P99, b.Latency.P99},
		Max:    Difference{a.Latency.Max, b.Latency.Max},
		Setup:  recording.Differing(a.Setup(), b.Setup()),
	}
	p.Sentence = sentence(p)
	for _, d := range recording.Differing(a.Facts(), b.Facts()) {
		p.Warnings = append(p.Warnings, "the figures may not compare, "+d)
	}
	for _, r := range []*recording.Recording{a, b} {
		if !r.HasRun {
			p.Warnings = append(p.Warnings, r.Name+": kernel, CPU and clock are not known")
		}
		if r.Latency.Count < fewSamples {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s: only %d samples", r.Name, r.Latency.Count))
		}
		if n := r.Counts.Lost; n > 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s: %d lost signals are in none of its figures", r.Name, n))
		}
	}
	return p, nil
}

func sentence(p *Pair) string {
	d := p.Median.NS()
	if d == 0 {
		return fmt.Sprintf("%s and %s have the same median, %d ns.", p.A.Name, p.B.Name, p.Median.A)
	}
	fast, slow, m := p.A, p.B, p.Median
	if d < 0 {
		fast, slow, m = p.B, p.A, Difference{p.Median.B, p.Median.A}
	}
	s := fmt.Sprintf("%s is faster than %s: median %d ns against %d ns, %d ns less", fast.Name, slow.Name, m.A, m.B, m.NS())
	if m.B > 0 && m.A >= 0 {
		s += fmt.Sprintf(" (%.3g %%)", 100*float64(m.NS())/float64(m.B))
	}
	if fast.Latency.Max > slow.Latency.Max {
		s += fmt.Sprintf("; but its maximum is higher, %d ns against %d ns", fast.Latency.Max, slow.Latency.Max)
	}
	return s + "."
}
