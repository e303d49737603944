// SPDX-License-Identifier: GPL-2.0-only

// Package analysis computes statistics of latencies: exact moments, quantiles
// and histograms. All values are integer nanoseconds.
package analysis

import (
	"iter"
	"math"
	"math/big"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range and resolution of a [Distribution]. Four significant digits keep
// every value below 32768 ns exact and any other within 1/16384.
const (
	MaxValue          = int64(1) << 40 // ns, about 18 minutes; larger values are counted there, their maximum is kept exact
	SignificantDigits = 4
)

// A Distribution counts values in constant memory. Count, minimum, maximum,
// mean and standard deviation are exact; quantiles are exact below 32768 ns
// and within 1/16384 above. The zero value is not ready; use
// [NewDistribution]. It is not safe for concurrent use.
type Distribution struct {
	hist     *hdrhistogram.Histogram
	below    *hdrhistogram.Histogram // magnitudes of negative values, nil while there are none
	count    uint64
	min, max int64
	sum      int128
	squares  uint128
}

// NewDistribution returns an empty distribution.
func NewDistribution() *Distribution {
	return &Distribution{hist: newHist(), min: math.MaxInt64, max: math.MinInt64}
}

func newHist() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, MaxValue, SignificantDigits)
}

// Record counts one value in ns.
func (d *Distribution) Record(ns int64) { d.RecordN(ns, 1) }

// RecordN counts a value n times.
func (d *Distribution) RecordN(ns int64, n uint64) {
	if n == 0 {
		return
	}
	d.count += n
	d.min, d.max = min(d.min, ns), max(d.max, ns)
	d.sum.addProduct(ns, n)
	d.squares.addSquares(ns, n)
	h := d.hist
	if ns < 0 {
		if d.below == nil {
			d.below = newHist()
		}
		h = d.below
	}
	// The value is clamped to the trackable range, so this cannot fail.
	_ = h.RecordValues(int64(min(magnitude(ns), uint64(MaxValue))), int64(n))
}

// magnitude returns |ns|; as an unsigned number it exists for every ns.
func magnitude(ns int64) uint64 {
	if ns < 0 {
		return -uint64(ns)
	}
	return uint64(ns)
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
	d.hist.Merge(o.hist)
	if o.below != nil {
		if d.below == nil {
			d.below = newHist()
		}
		d.below.Merge(o.below)
	}
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
func (d *Distribution) Mean() float64 {
	if d.count == 0 {
		return math.NaN()
	}
	r := new(big.Rat).SetFrac(d.sum.big(), new(big.Int).SetUint64(d.count))
	f, _ := r.Float64()
	return f
}

// Stddev returns the sample standard deviation (divisor n-1) in ns, computed
// from exact integer sums; 0 for one value, NaN for none.
func (d *Distribution) Stddev() float64 {
	switch d.count {
	case 0:
		return math.NaN()
	case 1:
		return 0
	}
	// (n*sum(x^2) - sum(x)^2) / (n*(n-1)), in integers up to the division.
	n := new(big.Int).SetUint64(d.count)
	sum := d.sum.big()
	num := new(big.Int).Mul(n, d.squares.big())
	num.Sub(num, sum.Mul(sum, sum))
	den := new(big.Int).Mul(n, new(big.Int).Sub(n, big.NewInt(1)))
	f, _ := new(big.Rat).SetFrac(num, den).Float64()
	return math.Sqrt(f)
}

// Quantile returns the value in ns that the fraction q (0 to 1) of all values
// does not exceed: the smallest value v with at least ceil(q*n) values <= v.
// It returns 0 without values.
func (d *Distribution) Quantile(q float64) int64 {
	if d.count == 0 {
		return 0
	}
	rank := uint64(math.Ceil(q * float64(d.count)))
	rank = min(max(rank, 1), d.count)
	if rank == d.count {
		return d.max
	}
	var seen uint64
	for b := range d.Buckets() {
		seen += b.Count
		if seen >= rank {
			return min(max(b.High, d.min), d.max)
		}
	}
	return d.max
}

// A Bucket is a class of values, Low and High included, in ns.
type Bucket struct {
	Low, High int64
	Count     uint64
}

// Buckets yields the occupied classes in ascending order. Classes below
// 32768 ns hold one value; the last class may hold values above [MaxValue].
func (d *Distribution) Buckets() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		if d.below != nil {
			bars := d.below.Distribution()
			for i := len(bars) - 1; i >= 0; i-- {
				if b := bars[i]; b.Count > 0 && !yield(Bucket{-b.To, -b.From, uint64(b.Count)}) {
					return
				}
			}
		}
		for _, b := range d.hist.Distribution() {
			if b.Count > 0 && !yield(Bucket{b.From, b.To, uint64(b.Count)}) {
				return
			}
		}
	}
}

// int128 and uint128 hold the sums of up to 2^64 latencies without rounding.
type uint128 struct{ hi, lo uint64 }

func (s *uint128) add(o uint128) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, o.lo, 0)
	s.hi, _ = bits.Add64(s.hi, o.hi, c)
}

func (s *uint128) addSquares(v int64, n uint64) {
	m := magnitude(v)
	hi, lo := bits.Mul64(m, m)
	h2, l2 := bits.Mul64(lo, n)
	s.add(uint128{hi*n + h2, l2})
}

func (s uint128) big() *big.Int {
	b := new(big.Int).SetUint64(s.hi)
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(s.lo))
}

type int128 struct{ pos, neg uint128 }

func (s *int128) add(o int128) { s.pos.add(o.pos); s.neg.add(o.neg) }

func (s *int128) addProduct(v int64, n uint64) {
	hi, lo := bits.Mul64(magnitude(v), n)
	if v < 0 {
		s.neg.add(uint128{hi, lo})
	} else {
		s.pos.add(uint128{hi, lo})
	}
}

func (s int128) big() *big.Int { return new(big.Int).Sub(s.pos.big(), s.neg.big()) }
