// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLinearErrors(t *testing.T) {
	for _, c := range []struct {
		min, max int64
		bins     int
		ok       bool
	}{
		{0, 1, 1, true}, {0, 0, 1, false}, {1, 0, 1, false}, {0, 10, 0, false}, {0, 10, -1, false},
		{0, 10, 10, true}, {0, 10, 11, false}, {0, math.MaxInt64, MaxBins, true}, {0, math.MaxInt64, MaxBins + 1, false},
		{math.MinInt64, math.MaxInt64, 1, true},
	} {
		if _, err := NewLinear(c.min, c.max, c.bins); (err == nil) != c.ok {
			t.Errorf("NewLinear(%d, %d, %d): %v", c.min, c.max, c.bins, err)
		}
	}
}

// TestLinearEdges checks every value of small ranges against the definition.
func TestLinearEdges(t *testing.T) {
	for span := int64(1); span < 40; span++ {
		for bins := 1; int64(bins) <= span; bins++ {
			l, err := NewLinear(-7, -7+span, bins)
			if err != nil {
				t.Fatal(err)
			}
			for v := int64(-9); v < span; v++ {
				l.Record(v)
			}
			total := uint64(0)
			low := int64(-7)
			i := 0
			for r := range l.Rows() {
				if r.Low != low || r.High != -7+int64(i+1)*span/int64(bins) || r.Count != uint64(r.High-r.Low) {
					t.Fatalf("span %d, %d bins: row %d is %+v", span, bins, i, r)
				}
				low = r.High
				total += r.Count
				i++
			}
			if low != -7+span || l.Under() != 2 || l.Over() != 7 || total+9 != l.Count() || l.Count() != uint64(span+9) {
				t.Fatalf("span %d, %d bins: %+v", span, bins, l)
			}
		}
	}
}

func TestLinearWholeRange(t *testing.T) {
	l, err := NewLinear(math.MinInt64, math.MaxInt64, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64} {
		l.Record(v)
	}
	if l.rows[0] != 1 || l.rows[1] != 3 || l.rows[2] != 1 || l.Over() != 1 || l.Edge(3) != math.MaxInt64 {
		t.Errorf("%+v", l)
	}
}

func TestLinearFromDistribution(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := NewDistribution()
	exact, _ := NewLinear(0, 3_000_000, 100)
	for range 20000 {
		v := int64(math.Exp(rng.NormFloat64()*2 + 11))
		d.Record(v)
		exact.Record(v)
	}
	l, _ := NewLinear(0, 3_000_000, 100)
	l.Add(d)
	if l.Count() != d.Count() || l.Under() != 0 {
		t.Errorf("count %d of %d, %d under", l.Count(), d.Count(), l.Under())
	}
	moved := uint64(0)
	for i := range l.rows {
		if l.rows[i] > exact.rows[i] {
			moved += l.rows[i] - exact.rows[i]
		}
	}
	if l.Over() < exact.Over() || moved+l.Over()-exact.Over() > l.Approximate() || l.Approximate() > d.Count()/20 {
		t.Errorf("%d moved, over %d, exact %d, approximate %d", moved, l.Over(), exact.Over(), l.Approximate())
	}
	// Below 32768 ns there is nothing to guess.
	s, _ := NewLinear(0, 30_000, 7)
	s.Add(d)
	e, _ := NewLinear(0, 30_000, 7)
	for b := range d.Buckets() {
		for range b.Count {
			e.Record(b.Low)
		}
	}
	for i := range s.rows {
		if s.rows[i] != e.rows[i] {
			t.Errorf("row %d: %d, want %d", i, s.rows[i], e.rows[i])
		}
	}
	if s.Approximate() != 0 || s.Merge(e) != nil || s.Count() != 2*d.Count() || s.Merge(l) == nil {
		t.Errorf("approximate %d, merged %d", s.Approximate(), s.Count())
	}
}
