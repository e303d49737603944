// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"iter"
	"math"
	"slices"
)

// A Bucket is a class of values, Low and High included, in ns.
type Bucket struct {
	Low, High int64
	Count     uint64
}

// Buckets yields the occupied classes in ascending order. Classes from 0 to
// 32767 ns hold one value. No class reaches below the minimum or above the
// maximum.
func (d *Distribution) Buckets() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		each := func(low, high int64, n uint64) bool {
			return yield(Bucket{max(low, d.min), min(high, d.max), n})
		}
		if d.neg != nil && !d.neg.descend(func(i int, n uint64) bool {
			low, high := mirrored(i)
			return each(low, high, n)
		}) {
			return
		}
		d.pos.ascend(func(i int, n uint64) bool {
			low, high := classRange(i)
			return each(low, high, n)
		})
	}
}

// Quantile returns the value in ns that the fraction q (0 to 1) of all values
// does not exceed: the smallest value v with at least ceil(q*n) values <= v.
// It returns 0 without values.
func (d *Distribution) Quantile(q float64) int64 { return d.Quantiles(q)[0] }

// Quantiles returns [Distribution.Quantile] of each q in one pass.
func (d *Distribution) Quantiles(qs ...float64) []int64 {
	ranks := make([]uint64, len(qs))
	for i, q := range qs {
		ranks[i] = Rank(q, d.count)
	}
	return d.Ranked(ranks...)
}

// Rank returns ceil(q*n), at least 1 and at most n: which of n values in
// ascending order is the quantile q. A product that differs from a whole
// number by rounding only counts as that number, so the quantile 0.07 of 100
// values is the 7th.
func Rank(q float64, n uint64) uint64 {
	r := q * float64(n)
	if near := math.Round(r); math.Abs(r-near) <= near*1e-14 {
		r = near
	}
	switch r = math.Ceil(r); {
	case !(r > 1):
		return min(1, n)
	case r >= float64(n):
		return n
	}
	return uint64(r)
}

// Ranked returns the values with the given places, counted from 1, in
// ascending order of all values; 0 for each when there are none. A place
// beyond the last is the last. The first and last values are exact, others
// are the upper end of their class.
func (d *Distribution) Ranked(ranks ...uint64) []int64 {
	out := make([]int64, len(ranks))
	if d.count == 0 {
		return out
	}
	order := make([]int, 0, len(ranks))
	for i, r := range ranks {
		switch {
		case r >= d.count:
			out[i] = d.max
		case r <= 1:
			out[i] = d.min
		default:
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return out
	}
	slices.SortFunc(order, func(a, b int) int {
		if ranks[a] < ranks[b] {
			return -1
		}
		return 1
	})
	var seen uint64
	for b := range d.Buckets() {
		seen += b.Count
		for seen >= ranks[order[0]] {
			out[order[0]] = b.High
			if order = order[1:]; len(order) == 0 {
				return out
			}
		}
	}
	return out
}
