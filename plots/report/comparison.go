// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"math"
	"strings"

	"siglat/analysis"
	"siglat/analysis/comparison"
	"siglat/analysis/recording"
	"siglat/plots"
)

// A Dimension is what the two sides of a comparison differ in.
type Dimension string

// The dimensions, in the order of [Comparisons].
const (
	Placement Dimension = "placement" // same CPU against other CPU
	Policy    Dimension = "policy"    // SCHED_OTHER against a real-time policy
	Receiver  Dimension = "receiver"  // blocked against busy
	Kernel    Dimension = "kernel"    // stock against PREEMPT_RT, or two versions
)

// Title names the dimension for a heading.
func (d Dimension) Title() string {
	switch d {
	case Placement:
		return "Same CPU or other CPU"
	case Policy:
		return "Normal or real-time policy"
	case Receiver:
		return "Blocked or busy"
	case Kernel:
		return "Kernels"
	}
	return string(d)
}

// A Side is one half of a comparison: one run, or several equal ones pooled.
// Latencies are in ns.
type Side struct {
	Label    string // its value of the dimension: "same CPU"
	Runs     []*recording.Recording
	Count    uint64
	MeanNS   float64
	MedianNS int64
	MaxNS    int64

	all *analysis.Distribution // nil where it is not known
}

// A Comparison is a pair of set-ups that differ in exactly one dimension.
// Differences are B minus A in ns, ratios B divided by A (NaN where A is not
// positive).
type Comparison struct {
	Dimension    Dimension
	Fixed        string // what both sides share: "blocked (sigwait), OTHER, 6.12"
	A, B         Side
	MeanDiffNS   float64
	MeanRatio    float64
	MedianDiffNS int64
	MedianRatio  float64
	Sentence     string   // which is faster, by how much, how sure
	Notes        []string // what to know: unequal periods, pooled runs
	Warnings     []string // what makes the comparison doubtful
}

// Comparisons returns every pair of set-ups among the runs that differ in
// exactly one dimension and nothing else that decides a latency. Runs of one
// name and set-up are pooled. Where both sides also ran with equal period
// and environment (host, clock, QEMU, CPU, kernel image), only such pairs
// are returned; else the nearest ones, with a note or a warning. Runs
// without configuration or samples are left out. The order is that of the
// runs, dimension by dimension.
func Comparisons(runs []*recording.Recording) []Comparison {
	var out []Comparison
	for _, d := range []Dimension{Placement, Policy, Receiver, Kernel} {
		out = append(out, compareIn(d, known(runs))...)
	}
	return out
}

// known returns the runs whose configuration is known and that have samples.
func known(runs []*recording.Recording) []*recording.Recording {
	var out []*recording.Recording
	for _, r := range runs {
		if r.HasRun && receiverOf(r) != "" && summaryOf(r).Count > 0 {
			out = append(out, r)
		}
	}
	return out
}

// summaryOf returns the run's figures: those written with the run, or those
// of its distribution.
func summaryOf(r *recording.Recording) analysis.Summary {
	if d := r.Dist[recording.SegmentLatency]; r.Latency.Count == 0 && d != nil {
		return d.Summary()
	}
	return r.Latency
}

func newSide(label string, runs []*recording.Recording) Side {
	s := Side{Label: label, Runs: runs, MaxNS: math.MinInt64}
	var sum float64
	pool := analysis.NewDistribution()
	s.all = pool
	for _, r := range runs {
		f := summaryOf(r)
		s.Count += f.Count
		s.MaxNS = max(s.MaxNS, f.Max)
		sum += f.Mean * float64(f.Count)
		if d := r.Dist[recording.SegmentLatency]; d != nil {
			pool.Merge(d)
		} else {
			s.all = nil
		}
	}
	s.MeanNS = sum / float64(s.Count)
	s.MedianNS = pool.Quantile(0.5)
	if len(runs) == 1 {
		f := summaryOf(runs[0])
		s.MeanNS, s.MedianNS = f.Mean, f.P50
	}
	return s
}

func newComparison(d Dimension, a, b Side) Comparison {
	c := Comparison{
		Dimension: d, A: a, B: b,
		Fixed:        setupOf(a.Runs[0]).describe(d),
		MeanDiffNS:   b.MeanNS - a.MeanNS,
		MeanRatio:    ratio(b.MeanNS, a.MeanNS),
		MedianDiffNS: b.MedianNS - a.MedianNS,
		MedianRatio:  ratio(float64(b.MedianNS), float64(a.MedianNS)),
	}
	c.Sentence = sentence(c, judge(a, b))
	c.Notes = notes(c)
	c.Warnings = warnings(c)
	return c
}

// judge compares two sides as sigreport compare does two runs; nil without
// samples.
func judge(a, b Side) *comparison.Pair {
	p, err := comparison.Compare(a.recording(), b.recording())
	if err != nil {
		return nil
	}
	return p
}

// recording is a run with the side's latencies and nothing else.
func (s Side) recording() *recording.Recording {
	r := &recording.Recording{HasRun: true, Dist: map[string]*analysis.Distribution{}}
	r.Name, r.Latency.Count, r.Latency.P50, r.Latency.Max = s.Label, s.Count, s.MedianNS, s.MaxNS
	if s.all != nil {
		r.Dist[recording.SegmentLatency] = s.all
	}
	return r
}

func ratio(x, base float64) float64 {
	if base <= 0 {
		return math.NaN()
	}
	return x / base
}

// Median writes the side's median in µs.
func (s Side) Median() string { return micros(s.MedianNS) }

// Mean writes the side's mean in µs.
func (s Side) Mean() string { return plots.Micros(s.MeanNS) }

// MedianDiff writes the difference of the medians in µs with its sign.
func (c Comparison) MedianDiff() string { return signed(float64(c.MedianDiffNS)) }

// MeanDiff writes the difference of the means in µs with its sign.
func (c Comparison) MeanDiff() string { return signed(c.MeanDiffNS) }

// MedianTimes writes the ratio of the medians.
func (c Comparison) MedianTimes() string { return times(c.MedianRatio) }

// MeanTimes writes the ratio of the means.
func (c Comparison) MeanTimes() string { return times(c.MeanRatio) }

func signed(ns float64) string {
	if ns > 0 {
		return "+" + plots.Micros(ns)
	}
	return strings.Replace(plots.Micros(ns), "-", "−", 1)
}

func times(r float64) string {
	if math.IsNaN(r) {
		return "–"
	}
	if r < 10 {
		return fmt.Sprintf("×\u00a0%.3f", r)
	}
	return fmt.Sprintf("×\u00a0%.3g", r)
}
