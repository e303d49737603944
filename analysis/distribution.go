// SPDX-License-Identifier: GPL-2.0-only

// Package analysis computes statistics of latencies: exact moments, quantiles
// and histograms. All values are integer nanoseconds.
package analysis

import (
	"iter"
	"math"
	"math/big"
)

// SignificantDigits is the resolution of a [Distribution] in the terms of
// HdrHistogram: every value below 32768 ns has a class of its own, any other
// is kept within 1/16384.
const SignificantDigits = 4

// A Distribution counts values in constant memory. Count, minimum, maximum,
// mean and standard deviation are exact; quantiles are exact below 32768 ns
// and within 1/16384 above. It takes every int64. The zero value is not
// ready; use [NewDistribution]. It is not safe for concurrent use.
type Distribution struct {
	pos      classes
	neg      *classes // magnitudes of negative values, nil while there are none
	count    uint64
	min, max int64
	// sums over values outside [0, exactBelow); those inside are counted one
	// by one, so that their sums follow from the counts
	sum, squares wide
}

// NewDistribution returns an empty distribution.
func NewDistribution() *Distribution {
	return &Distribution{min: math.MaxInt64, max: math.MinInt64}
}

// Record counts one value in ns.
func (d *Distribution) Record(ns int64) {
	if uint64(ns) >= exactBelow {
		d.recordWide(ns, 1)
		return
	}
	d.count++
	d.min, d.max = min(d.min, ns), max(d.max, ns)
	d.pos.add(int(ns), 1)
}

// RecordN counts a value n times.
func (d *Distribution) RecordN(ns int64, n uint64) {
	switch {
	case n == 0:
	case uint64(ns) >= exactBelow:
		d.recordWide(ns, n)
	default:
		d.count += n
		d.min, d.max = min(d.min, ns), max(d.max, ns)
		d.pos.add(int(ns), n)
	}
}

func (d *Distribution) recordWide(ns int64, n uint64) {
	d.count += n
	d.min, d.max = min(d.min, ns), max(d.max, ns)
	d.sum.addValues(ns, n)
	d.squares.addSquares(ns, n)
	if ns >= 0 {
		d.pos.add(classOf(uint64(ns)), n)
		return
	}
	if d.neg == nil {
		d.neg = new(classes)
	}
	d.neg.add(classOf(magnitude(ns)), n)
}

// Merge adds all of o's values. Merging is exact and order-independent.
func (d *Distribution) Merge(o *Distribution) {
	if o.count == 0 {
		return
	}
	d.count += o.count
	d.min, d.max = min(d.min, o.min), max(d.max, o.max)
	d.sum.add(o.sum)
	d.squares.add(o.squares)
	d.pos.merge(&o.pos)
	if o.neg != nil {
		if d.neg == nil {
			d.neg = new(classes)
		}
		d.neg.merge(o.neg)
	}
}

// Reset forgets all values and keeps the memory for the next ones.
func (d *Distribution) Reset() {
	d.pos.clear()
	if d.neg != nil {
		d.neg.clear()
	}
	d.count, d.min, d.max = 0, math.MaxInt64, math.MinInt64
	d.sum, d.squares = wide{}, wide{}
}

// Count returns the number of values.
func (d *Distribution) Count() uint64 { return d.count }

// Min returns the smallest value in ns, 0 when there is none.
func (d *Distribution) Min() int64 {
	if d.count == 0 {
		return 0
	}
	return d.min
}

// Max returns the largest value in ns, 0 when there is none.
func (d *Distribution) Max() int64 {
	if d.count == 0 {
		return 0
	}
	return d.max
}

// Mean returns the arithmetic mean in ns, rounded once, NaN without values.
func (d *Distribution) Mean() float64 { return d.Moments().Mean() }

// Stddev returns the sample standard deviation (divisor n-1) in ns, computed
// from exact integer sums; 0 for one value, NaN for none.
func (d *Distribution) Stddev() float64 { return d.Moments().Stddev() }

// sums returns the sum of all values and of their squares.
func (d *Distribution) sums() (sum, squares *big.Int) {
	s, q := d.sum, d.squares
	for k, b := range d.pos[:exactBelow/blockSize] {
		if b == nil {
			continue
		}
		for j, n := range b {
			if n != 0 {
				v := int64(k<<blockBits + j)
				s.addValues(v, n)
				q.addSquares(v, n)
			}
		}
	}
	return s.big(), q.big()
}

// Equal tells whether d and o hold the same counts and the same exact
// figures.
func (d *Distribution) Equal(o *Distribution) bool {
	a, b := d.Moments(), o.Moments()
	if a.Count != b.Count || a.Min != b.Min || a.Max != b.Max || a.Sum.Cmp(b.Sum) != 0 || a.Squares.Cmp(b.Squares) != 0 {
		return false
	}
	next, stop := iter.Pull(o.Buckets())
	defer stop()
	for x := range d.Buckets() {
		if y, ok := next(); !ok || x != y {
			return false
		}
	}
	_, more := next()
	return !more
}
