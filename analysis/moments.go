// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"fmt"
	"math"
	"math/big"
)

// Moments are the exact figures of a set of values; sets add up by adding
// their moments. Min and Max are 0 where Count is.
type Moments struct {
	Count    uint64
	Min, Max int64    // ns
	Sum      *big.Int // ns
	Squares  *big.Int // sum of squares, ns^2
}

// Moments returns the exact figures of d.
func (d *Distribution) Moments() Moments {
	sum, squares := d.sums()
	return Moments{d.count, d.Min(), d.Max(), sum, squares}
}

// Mean returns the arithmetic mean in ns, rounded once, NaN without values.
func (m Moments) Mean() float64 {
	if m.Count == 0 {
		return math.NaN()
	}
	f, _ := new(big.Rat).SetFrac(m.Sum, new(big.Int).SetUint64(m.Count)).Float64()
	return f
}

// Stddev returns the sample standard deviation (divisor n-1) in ns, the float64
// nearest to it; 0 for one value, NaN for none.
func (m Moments) Stddev() float64 {
	switch m.Count {
	case 0:
		return math.NaN()
	case 1:
		return 0
	}
	// (n*sum(x^2) - sum(x)^2) / (n*(n-1)), in integers up to the division.
	n := new(big.Int).SetUint64(m.Count)
	num := new(big.Int).Mul(n, m.Squares)
	num.Sub(num, new(big.Int).Mul(m.Sum, m.Sum))
	den := new(big.Int).Mul(n, new(big.Int).Sub(n, big.NewInt(1)))
	variance := new(big.Float).SetPrec(rootBits).SetRat(new(big.Rat).SetFrac(num, den))
	f, _ := variance.Sqrt(variance).Float64()
	return f
}

// rootBits are so many that only the last step, to 53 bits, rounds the root.
const rootBits = 256

const momentsFormat = "count=%d,min=%d,max=%d,sum=%d,squares=%d"

// String returns the figures as [ParseMoments] reads them.
func (m Moments) String() string {
	return fmt.Sprintf(momentsFormat, m.Count, m.Min, m.Max, m.Sum, m.Squares)
}

// ParseMoments reads what [Moments.String] wrote.
func ParseMoments(s string) (Moments, error) {
	m := Moments{Sum: new(big.Int), Squares: new(big.Int)}
	if _, err := fmt.Sscanf(s, momentsFormat, &m.Count, &m.Min, &m.Max, m.Sum, m.Squares); err != nil {
		return Moments{}, fmt.Errorf("read moments %.80q: %w", s, err)
	}
	if m.String() != s || m.Min > m.Max || m.Squares.Sign() < 0 {
		return Moments{}, fmt.Errorf("read moments %.80q: no set of values has these", s)
	}
	return m, nil
}

// setMoments replaces what d computed from classes by the exact figures of
// the same values. It fails when they cannot belong to d.
func (d *Distribution) setMoments(m Moments) error {
	if m.Count != d.count {
		return fmt.Errorf("histogram holds %d values, its moments say %d", d.count, m.Count)
	}
	if m.Count == 0 {
		return nil
	}
	if classEdge(m.Min) != classEdge(d.min) || classEdge(m.Max) != classEdge(d.max) {
		return fmt.Errorf("histogram spans %d to %d ns, its moments say %d to %d", d.min, d.max, m.Min, m.Max)
	}
	sum, squares := d.sums()
	dSum, ok1 := wideFrom(sum.Sub(m.Sum, sum))
	dSquares, ok2 := wideFrom(squares.Sub(m.Squares, squares))
	if !ok1 || !ok2 {
		return fmt.Errorf("moments are out of range: %.80s", m)
	}
	d.sum.add(dSum)
	d.squares.add(dSquares)
	d.min, d.max = m.Min, m.Max
	return nil
}

// classEdge returns the number in ns that stands for all values of v's class.
func classEdge(v int64) int64 {
	if v < 0 {
		low, _ := mirrored(classOf(magnitude(v)))
		return low
	}
	_, high := classRange(classOf(uint64(v)))
	return high
}

// ClassEnd returns the number in ns that stands for all values of the class
// of ns: its end away from zero.
func ClassEnd(ns int64) int64 { return classEdge(ns) }
