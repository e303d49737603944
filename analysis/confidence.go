// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// DetailQuantiles are those of a detailed report.
var DetailQuantiles = []float64{0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999}

// A QuantileInterval is a quantile with the interval that holds the true one
// with probability Confidence, whatever the distribution of the values, as
// long as they are independent. Bounds are values of the sample, in ns.
type QuantileInterval struct {
	Q                 float64
	Value, Low, High  int64
	LowOpen, HighOpen bool    // the sample is too small: no bound on this side
	Confidence        float64 // reached, at least the one asked for unless both sides are open
}

// QuantileIntervals computes intervals between order statistics: with B
// binomial (n, q), the true quantile lies in [x(l), x(u)) with probability
// P(l <= B < u) (David, Nagaraja: Order Statistics, 3rd ed., 7.1). Each side
// misses with at most half of 1-confidence; a side where no order statistic
// does so is open.
func (d *Distribution) QuantileIntervals(confidence float64, qs ...float64) []QuantileInterval {
	n := d.count
	out := make([]QuantileInterval, len(qs))
	ranks := make([]uint64, 0, 3*len(qs))
	for i, q := range qs {
		l, u, reached := intervalRanks(n, q, (1-confidence)/2)
		out[i] = QuantileInterval{Q: q, LowOpen: l == 0, HighOpen: u == 0, Confidence: reached}
		ranks = append(ranks, Rank(q, n), max(l, 1), max(u, 1))
	}
	v := d.Ranked(ranks...)
	for i := range out {
		out[i].Value, out[i].Low, out[i].High = v[3*i], v[3*i+1], v[3*i+2]
		if out[i].LowOpen {
			out[i].Low = 0
		}
		if out[i].HighOpen {
			out[i].High = 0
		}
	}
	return out
}

// intervalRanks returns the places of the bounds, 0 for an open one.
func intervalRanks(n uint64, q, miss float64) (l, u uint64, reached float64) {
	if n == 0 || !(q > 0 && q < 1) {
		return 0, 0, 0
	}
	b := distuv.Binomial{N: float64(n), P: q}
	// l is the largest with P(B < l) <= miss, u the smallest with
	// P(B >= u) <= miss, that is P(B < u) >= 1 - miss.
	l = search(n+1, func(k uint64) bool { return k > 0 && b.CDF(float64(k-1)) > miss }) - 1
	u = search(n+1, func(k uint64) bool { return k > 0 && b.Survival(float64(k-1)) <= miss })
	low, high := 0.0, 0.0
	if l > 0 {
		low = b.CDF(float64(l - 1))
	}
	if u > n {
		u = 0
	} else {
		high = b.Survival(float64(u - 1))
	}
	return l, u, 1 - low - high
}

// search returns the smallest k in [0, n) for which ok holds, n without one;
// ok must not become false again.
func search(n uint64, ok func(uint64) bool) uint64 {
	low, high := uint64(0), n
	for low < high {
		if mid := low + (high-low)/2; ok(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// ExceedanceBound returns the upper bound, at the given confidence, on the
// probability that a value exceeds the largest of n: 1-(1-confidence)^(1/n),
// for 95 % near 3/n (Hanley, Lippman-Hand: If nothing goes wrong, is
// everything all right?, JAMA 249, 1983). Without values it is 1.
func ExceedanceBound(n uint64, confidence float64) float64 {
	if n == 0 {
		return 1
	}
	return -math.Expm1(math.Log1p(-confidence) / float64(n))
}

// Over returns how many values exceed ns: no fewer than low and no more than
// high. They differ when ns lies within a class of more than one value.
func (d *Distribution) Over(ns int64) (low, high uint64) {
	for b := range d.Buckets() {
		if b.Low > ns {
			low += b.Count
		}
		if b.High > ns {
			high += b.Count
		}
	}
	return low, high
}

// ClockCycles is the rule of thumb that a good real-time system stays below
// 10^5 cycles of its processor's clock at worst (OSADL). It returns that time
// in ns; 0 when the frequency in kHz is not known.
func ClockCycles(khz int64) int64 {
	if khz <= 0 {
		return 0
	}
	return int64(1e5 * 1e6 / float64(khz))
}
