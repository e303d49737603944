// SPDX-License-Identifier: GPL-2.0-only

package comparison

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"siglat/analysis"
)

const (
	resamples  = 2000
	confidence = 0.95
)

// An Interval holds, with 95 % confidence, the difference B minus A in ns.
type Interval struct{ Low, High int64 }

// Excludes tells whether v lies outside.
func (i Interval) Excludes(v int64) bool { return v < i.Low || v > i.High }

// bootstrap returns the percentile interval of the difference of a quantile
// (Efron, Tibshirani: An Introduction to the Bootstrap, 13.3). It draws the
// quantile of a resample without resampling: the r-th of n values drawn with
// replacement is the sample's quantile at a variate of Beta(r, n-r+1)
// (David, Nagaraja: Order Statistics, 2.1). The sequence is fixed.
func bootstrap(a, b *analysis.Distribution, q float64) Interval {
	src := rand.NewPCG(0x5167, math.Float64bits(q))
	x, y := resampled(a, q, src), resampled(b, q, src)
	d := make([]int64, resamples)
	for i := range d {
		d[i] = minus(y[i], x[i])
	}
	slices.Sort(d)
	low := int(math.Floor((1 - confidence) / 2 * resamples))
	return Interval{d[low], d[resamples-1-low]}
}

func resampled(d *analysis.Distribution, q float64, src rand.Source) []int64 {
	n := d.Count()
	r := float64(analysis.Rank(q, n))
	beta := distuv.Beta{Alpha: r, Beta: float64(n) - r + 1, Src: src}
	us := make([]float64, resamples)
	for i := range us {
		us[i] = beta.Rand()
	}
	return d.Quantiles(us...)
}

// MannWhitney is the rank sum test of two samples, with the normal
// approximation corrected for ties and continuity (Hollander, Wolfe, Chicken:
// Nonparametric Statistical Methods, 3rd ed., 4.1).
type MannWhitney struct {
	U      float64 // of A: pairs in which A is the larger, ties half
	Z      float64
	P      float64 // two-sided; 0 where it is below LeastP
	Effect float64 // probability that a value of A is below one of B, ties half (Vargha, Delaney 2000)
}

// LeastP is the smallest P that is told: below it the error function loses its
// digits and then is 0.
const LeastP = 1e-300

// PText is "p = ..." or, where P is not known, "p < ...".
func (w *MannWhitney) PText() string {
	if w.P < LeastP {
		return fmt.Sprintf("p < %.0g", LeastP)
	}
	return fmt.Sprintf("p = %.2g", w.P)
}

func mannWhitney(a, b *analysis.Distribution) MannWhitney {
	n, m := float64(a.Count()), float64(b.Count())
	u, ties, below := 0.0, 0.0, 0.0
	for x, y := range joined(a, b) {
		fx, fy := float64(x), float64(y)
		u += fx * (below + fy/2)
		below += fy
		t := fx + fy
		ties += t * (t*t - 1)
	}
	all := n + m
	variance := n * m / 12 * (all + 1 - ties/(all*(all-1)))
	w := MannWhitney{U: u, P: 1, Effect: 1 - u/(n*m)}
	if variance <= 0 {
		return w
	}
	off := u - n*m/2
	w.Z = math.Copysign(max(math.Abs(off)-0.5, 0), off) / math.Sqrt(variance)
	if w.P = min(1, math.Erfc(math.Abs(w.Z)/math.Sqrt2)); w.P < LeastP {
		w.P = 0
	}
	return w
}

// joined yields the counts of both at each value in ascending order. Values
// that share a class count as equal.
func joined(a, b *analysis.Distribution) func(func(x, y uint64) bool) {
	at := map[int64][2]uint64{}
	for i, d := range []*analysis.Distribution{a, b} {
		for k := range d.Buckets() {
			v := classOf(k)
			c := at[v]
			c[i] += k.Count
			at[v] = c
		}
	}
	keys := make([]int64, 0, len(at))
	for v := range at {
		keys = append(keys, v)
	}
	slices.Sort(keys)
	return func(yield func(x, y uint64) bool) {
		for _, v := range keys {
			if c := at[v]; !yield(c[0], c[1]) {
				return
			}
		}
	}
}

// classOf returns a value that is the same for the same class of both sides;
// the first and last class are narrowed to the minimum and maximum.
func classOf(k analysis.Bucket) int64 { return analysis.ClassEnd(k.High) }
