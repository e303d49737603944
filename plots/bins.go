// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"slices"

	"siglat/analysis"
)

// A sample is what a Series holds, collected once: reading the classes of a
// distribution costs far more than walking through them.
type sample struct {
	classes  []analysis.Bucket
	n        uint64
	min, max int64
}

func collect(d *analysis.Distribution) sample {
	if d == nil || d.Count() == 0 {
		return sample{}
	}
	s := sample{n: d.Count(), min: d.Min(), max: d.Max()}
	for b := range d.Buckets() {
		s.classes = append(s.classes, b)
	}
	s.pin(0, s.min)
	s.pin(len(s.classes)-1, s.max)
	return s
}

// pin gives one sample of a class its exact value: classes of large values
// are wide, while the lowest and the highest value are known.
func (s *sample) pin(i int, v int64) {
	c := s.classes[i]
	if c.Low == c.High && c.Low == v {
		return
	}
	exact := analysis.Bucket{Low: v, High: v, Count: 1}
	if c.Count == 1 {
		s.classes[i] = exact
		return
	}
	s.classes[i].Count--
	if i == 0 {
		s.classes = slices.Insert(s.classes, 0, exact)
	} else {
		s.classes = append(s.classes, exact)
	}
}

// rank returns the r-th smallest value, r from 1, within its class.
func (s sample) rank(r uint64) int64 {
	var seen uint64
	for _, b := range s.classes {
		if seen += b.Count; seen >= r {
			return s.value(b)
		}
	}
	return s.max
}

// value returns the middle of a class, but no value outside the exact ends.
func (s sample) value(b analysis.Bucket) int64 {
	return min(max(b.Low+(b.High-b.Low)/2, s.min), s.max)
}

// A span is a range of latencies in ns.
type span struct{ lo, hi float64 }

func (s span) width() float64 { return s.hi - s.lo }

func (s span) union(o span) span { return span{min(s.lo, o.lo), max(s.hi, o.hi)} }

// bulk returns where nearly all samples lie: without the k lowest and the k
// highest, where k is a thousandth, or in a small sample up to ten but not
// more than a twentieth.
func (s sample) bulk() span {
	k := max(s.n/1000, min(10, s.n/20))
	if k == 0 && s.n >= 4 {
		k = 1
	}
	return span{float64(s.rank(k + 1)), float64(s.rank(s.n - k))}
}

// all returns the span of all samples.
func (s sample) all() span { return span{float64(s.min), float64(s.max)} }

// Numbers of bins over the bulk of the samples.
const (
	fewestBins      = 40
	mostBins        = 300 // one run: a filled shape
	mostBinsOverlay = 120 // several: outlines that must stay apart

	usual = 1000 // ns
)

// binWidth chooses the width in ns: a round number near half of what
// Freedman and Diaconis advise (On the histogram as a density estimator,
// 1981), since a logarithmic axis shows the shape of thin tails that a
// density estimate would smooth away, within the limits above. Outlines over
// each other need the full width: their tails would tangle. Where classes of
// 1 µs are neither few nor many they are taken: that is what other tools draw.
func binWidth(samples []sample, over span) int64 {
	most, few, share := float64(mostBins), float64(fewestBins), 1.0
	if len(samples) > 1 {
		most, few, share = mostBinsOverlay, fewestBins/2, 2
	}
	advised, class := math.Inf(1), int64(1)
	for _, s := range samples {
		if s.n == 0 {
			continue
		}
		iqr := float64(s.rank(s.n-s.n/4) - s.rank(s.n/4+1))
		advised = min(advised, share*iqr/math.Cbrt(float64(s.n)))
		for _, b := range s.classes {
			if float64(b.Low) <= over.hi && float64(b.High) < math.MaxInt64 {
				class = max(class, b.High-b.Low+1)
			}
		}
	}
	if n := over.width() / usual; n >= fewestBins && n <= mostBins && class <= usual/4 {
		return usual
	}
	w := min(max(advised, over.width()/most), over.width()/few)
	// Bins near the width of the recording's own classes would show a comb.
	if class > 1 {
		w = max(w, 4*float64(class))
	}
	return int64(min(roundUp(max(w, 1)), 1e18))
}

// roundUp returns the smallest 1, 2 or 5 times a power of ten that is not
// below x, for x > 0.
func roundUp(x float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// A bin counts the values from index*width up to, not including, the next.
type bin struct {
	index int64
	count uint64
}

// bins sorts the sample into occupied bins, in ascending order, and counts
// what lies below and above the range.
func (s sample) bins(width int64, r span) (bins []bin, under, over uint64) {
	for _, b := range s.classes {
		v := s.value(b)
		switch {
		case float64(v) < r.lo:
			under += b.Count
		case float64(v) > r.hi:
			over += b.Count
		default:
			bins = append(bins, bin{floorDiv(v, width), b.Count})
		}
	}
	// Classes ascend, and so do the bins.
	merged := bins[:0]
	for _, b := range bins {
		if n := len(merged); n > 0 && merged[n-1].index == b.index {
			merged[n-1].count += b.count
			continue
		}
		merged = append(merged, b)
	}
	return slices.Clip(merged), under, over
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
