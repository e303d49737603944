// SPDX-License-Identifier: GPL-2.0-only

// Package comparison sets two recordings side by side.
package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// A Pair compares B with A.
type Pair struct {
	A, B     *recording.Recording
	Median   Difference
	P99      Difference
	P999     Difference
	Max      Difference
	Rank     *MannWhitney // nil where one side holds no distribution
	Verdict  Verdict
	Sentence string   // which is faster by its median, and by how much
	Setup    []string // what the user chose differently: "placement: same, other"
	Warnings []string // what makes the comparison doubtful
}

// A Difference is one figure of both sides, in ns. Of is nil where one side
// holds no distribution, or less than six values. For the maximum it is too narrow: the bootstrap
// cannot exceed what was seen.
type Difference struct {
	A, B         int64
	OpenA, OpenB bool      // the side does not tell the figure
	Of           *Interval // of the difference
}

// Known tells whether both sides tell the figure.
func (d Difference) Known() bool { return !d.OpenA && !d.OpenB }

// NS returns B minus A in ns, the nearest that fits.
func (d Difference) NS() int64 { return minus(d.B, d.A) }

// minus returns b-a, or the nearest number that fits.
func minus(b, a int64) int64 {
	switch d := b - a; {
	case b >= 0 && a < 0 && d < 0:
		return math.MaxInt64
	case b < 0 && a >= 0 && d >= 0:
		return math.MinInt64
	default:
		return d
	}
}

// Percent returns the change from A to B in percent of A, NaN when A is not
// positive or one of them is not known.
func (d Difference) Percent() float64 {
	if d.A <= 0 || !d.Known() {
		return math.NaN()
	}
	return 100 * (float64(d.B) - float64(d.A)) / float64(d.A)
}

// A Figure is a difference with the name of what differs: median, p99, p99.9
// or max.
type Figure struct {
	Name string
	Difference
}

// Figures returns all differences, in that order.
func (p *Pair) Figures() []Figure {
	return []Figure{{"median", p.Median}, {"p99", p.P99}, {"p99.9", p.P999}, {"max", p.Max}}
}

// fewSamples is the number of samples below which a percentile of 99 rests on
// less than one of them.
const fewSamples = 100

// leastValues is the number of values from which their range holds the median
// with 95 % confidence: 1 - 2/2^n. A resample of fewer shows less than that.
const leastValues = 6

// Compare compares two recordings. It fails when one holds no samples.
func Compare(a, b *recording.Recording) (*Pair, error) {
	for _, r := range []*recording.Recording{a, b} {
		if r.Latency.Count == 0 {
			return nil, fmt.Errorf("compare %s: it holds no latencies", r.Name)
		}
	}
	p := &Pair{
		A: a, B: b,
		Median: Difference{A: a.Latency.P50, B: b.Latency.P50},
		P99:    Difference{A: a.Latency.P99, B: b.Latency.P99},
		P999:   Difference{A: a.Latency.P999, B: b.Latency.P999},
		Max:    Difference{A: a.Latency.Max, B: b.Latency.Max},
		Setup:  recording.Differing(a.Setup(), b.Setup()),
	}
	for _, d := range []*Difference{&p.Median, &p.P99, &p.P999} {
		d.OpenA, d.OpenB = !a.HasQuantiles(), !b.HasQuantiles()
	}
	if x, y := a.Latencies(), b.Latencies(); x != nil && y != nil {
		p.infer(x, y)
	}
	p.Verdict = p.verdict()
	p.Sentence = sentence(p)
	for _, d := range recording.Differing(a.Facts(), b.Facts()) {
		p.Warnings = append(p.Warnings, "the figures may not compare, "+d)
	}
	for _, r := range []*recording.Recording{a, b} {
		if !r.HasRun {
			p.Warnings = append(p.Warnings, r.Name+": kernel, CPU and clock are not known")
		}
		told := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "only ") })
		if r.Latency.Count < fewSamples && !told {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s: only %d samples", r.Name, r.Latency.Count))
		}
		if n := r.Counts.Lost; n > 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s: %d lost signals are in none of its figures", r.Name, n))
		}
		for _, w := range r.Warnings {
			p.Warnings = append(p.Warnings, r.Name+": "+w)
		}
	}
	return p, nil
}

// infer adds intervals and the rank test.
func (p *Pair) infer(x, y *analysis.Distribution) {
	for _, f := range []struct {
		d *Difference
		q float64
	}{{&p.Median, 0.5}, {&p.P99, 0.99}, {&p.P999, 0.999}, {&p.Max, 1}} {
		if min(x.Count(), y.Count()) < leastValues {
			break
		}
		i := bootstrap(x, y, f.q)
		f.d.Of = &i
	}
	w := mannWhitney(x, y)
	p.Rank = &w
}

// A Verdict is what the medians show.
type Verdict string

// Verdicts. Without a distribution on both sides nothing is shown, and the
// medians alone decide.
const (
	AFaster Verdict = "A faster"
	BFaster Verdict = "B faster"
	None    Verdict = "no difference shown"
)

// verdict says that one is faster where the interval of the medians'
// difference excludes 0 and the rank test agrees that there is a difference.
func (p *Pair) verdict() Verdict {
	d := p.Median.NS()
	if !p.Median.Known() {
		return None
	}
	if i := p.Median.Of; p.Rank != nil && (i == nil || !i.Excludes(0) || p.Rank.P >= 1-confidence) || d == 0 {
		return None
	}
	if d > 0 {
		return AFaster
	}
	return BFaster
}

func sentence(p *Pair) string {
	if p.Verdict == None {
		if !p.Median.Known() {
			return fmt.Sprintf("no difference shown between %s and %s: no median is known of %s.", p.A.Name, p.B.Name, p.without())
		}
		if i := p.Median.Of; i != nil {
			return fmt.Sprintf("no difference shown between %s and %s: median %d ns against %d ns, difference between %d and %d ns (95 %%), %s.",
				p.A.Name, p.B.Name, p.Median.A, p.Median.B, i.Low, i.High, p.Rank.PText())
		}
		if p.Rank != nil {
			return fmt.Sprintf("no difference shown between %s and %s: median %d ns against %d ns, of %d and %d values, too few for an interval, %s.",
				p.A.Name, p.B.Name, p.Median.A, p.Median.B, p.A.Latency.Count, p.B.Latency.Count, p.Rank.PText())
		}
		return fmt.Sprintf("%s and %s have the same median, %d ns.", p.A.Name, p.B.Name, p.Median.A)
	}
	fast, slow, m := p.A, p.B, p.Median
	if p.Verdict == BFaster {
		fast, slow, m = p.B, p.A, Difference{A: p.Median.B, B: p.Median.A}
	}
	s := fmt.Sprintf("%s is faster than %s: median %d ns against %d ns, %d ns less", fast.Name, slow.Name, m.A, m.B, m.NS())
	if m.B > 0 && m.A >= 0 {
		s += fmt.Sprintf(" (%.3g %%)", 100*float64(m.NS())/float64(m.B))
	}
	if i := p.Median.Of; i != nil {
		least, most := min(magnitude(i.Low), magnitude(i.High)), max(magnitude(i.Low), magnitude(i.High))
		lower, only := p.Rank.Effect, ""
		if p.Verdict == BFaster {
			lower = 1 - lower
		}
		if lower < 0.5 {
			only = "only "
		}
		s += fmt.Sprintf(", 95 %% sure of %d to %d ns; of two values, one of each, its own is the lower in %s%.1f %% of cases", least, most, only, 100*lower)
	}
	if fast.Latency.Max > slow.Latency.Max {
		s += fmt.Sprintf("; but its maximum is higher, %d ns against %d ns", fast.Latency.Max, slow.Latency.Max)
	}
	return s + "."
}

// without names the sides that do not tell their median.
func (p *Pair) without() string {
	switch {
	case !p.Median.OpenA:
		return p.B.Name
	case p.Median.OpenB && p.B.Name != p.A.Name:
		return p.A.Name + " and " + p.B.Name
	}
	return p.A.Name
}

func magnitude(v int64) int64 { return max(v, -v) }
