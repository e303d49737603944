// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"fmt"
	"iter"
	"math/bits"
)

// MaxBins bounds the number of rows of a [Linear].
const MaxBins = 10_000_000

// A Linear histogram has rows of equal width from a minimum to a maximum, and
// a row each for what lies below and above. Row i holds the values v with
// Edge(i) <= v < Edge(i+1), where Edge(i) = min + floor(i*(max-min)/bins):
// when the rows cannot all have the same whole width they differ by 1 ns, and
// none overlaps or leaves a gap. A value equal to max is above. The sum of
// all rows, those two included, is always the number of values.
type Linear struct {
	min         int64
	span        uint64 // max - min
	rows        []uint64
	under, over uint64
	approximate uint64
}

// NewLinear returns an empty histogram of values in ns. It fails when max is
// not above min, or when bins is not between 1 and MaxBins or gives rows
// narrower than 1 ns.
func NewLinear(min, max int64, bins int) (*Linear, error) {
	if max <= min {
		return nil, fmt.Errorf("histogram: maximum %d ns is not above minimum %d ns", max, min)
	}
	if bins < 1 || bins > MaxBins {
		return nil, fmt.Errorf("histogram: %d bins, must be 1 to %d", bins, MaxBins)
	}
	span := uint64(max) - uint64(min)
	if uint64(bins) > span {
		return nil, fmt.Errorf("histogram: %d bins from %d to %d ns would be narrower than 1 ns", bins, min, max)
	}
	return &Linear{min: min, span: span, rows: make([]uint64, bins)}, nil
}

// Record counts one value in ns.
func (l *Linear) Record(ns int64) { *l.counter(ns)++ }

// counter returns the count of the row that holds v.
func (l *Linear) counter(v int64) *uint64 {
	if v < l.min {
		return &l.under
	}
	offset := uint64(v) - uint64(l.min)
	if offset >= l.span {
		return &l.over
	}
	// The largest i with floor(i*span/bins) <= offset is
	// floor(((offset+1)*bins - 1) / span).
	hi, lo := bits.Mul64(offset+1, uint64(len(l.rows)))
	lo, borrow := bits.Sub64(lo, 1, 0)
	i, _ := bits.Div64(hi-borrow, lo, l.span)
	return &l.rows[i]
}

// Add counts the values of d. Where a class of d spans an edge, so that it is
// not known on which side its values lie, all of them count at the class's
// upper end, as quantiles do; Approximate tells how many these are. Below
// 32768 ns there are none.
func (l *Linear) Add(d *Distribution) {
	for b := range d.Buckets() {
		l.AddBucket(b)
	}
}

// AddBucket counts the values of one class, see [Linear.Add].
func (l *Linear) AddBucket(b Bucket) {
	c := l.counter(b.High)
	*c += b.Count
	if l.counter(b.Low) != c {
		l.approximate += b.Count
	}
}

// AddOver counts n values above the maximum.
func (l *Linear) AddOver(n uint64) { l.over += n }

// Merge adds the values of o, which must have the same rows.
func (l *Linear) Merge(o *Linear) error {
	if l.min != o.min || l.span != o.span || len(l.rows) != len(o.rows) {
		return fmt.Errorf("histogram: merge of different rows")
	}
	for i, n := range o.rows {
		l.rows[i] += n
	}
	l.under += o.under
	l.over += o.over
	l.approximate += o.approximate
	return nil
}

// Edge returns the lower end of row i in ns; Edge(Bins()) is the maximum.
func (l *Linear) Edge(i int) int64 {
	hi, lo := bits.Mul64(uint64(i), l.span)
	q, _ := bits.Div64(hi, lo, uint64(len(l.rows)))
	return int64(uint64(l.min) + q)
}

// A Row counts the values v with Low <= v < High, in ns.
type Row struct {
	Low, High int64
	Count     uint64
}

// Rows yields all rows between minimum and maximum in ascending order, empty
// ones too.
func (l *Linear) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		low := l.min
		for i, n := range l.rows {
			high := l.Edge(i + 1)
			if !yield(Row{low, high, n}) {
				return
			}
			low = high
		}
	}
}

// Row returns row i between minimum and maximum, from 0 to Bins()-1.
func (l *Linear) Row(i int) Row { return Row{l.Edge(i), l.Edge(i + 1), l.rows[i]} }

// Bins returns the number of rows between minimum and maximum.
func (l *Linear) Bins() int { return len(l.rows) }

// Under returns the number of values below the minimum.
func (l *Linear) Under() uint64 { return l.under }

// Over returns the number of values at or above the maximum.
func (l *Linear) Over() uint64 { return l.over }

// Approximate returns the number of values whose row is not certain.
func (l *Linear) Approximate() uint64 { return l.approximate }

// Count returns the number of values: the sum of all rows.
func (l *Linear) Count() uint64 {
	n := l.under + l.over
	for _, c := range l.rows {
		n += c
	}
	return n
}
