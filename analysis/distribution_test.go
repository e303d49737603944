// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

var extremes = []int64{
	0, 1, -1, 2, exactBelow - 1, exactBelow, exactBelow + 1, -exactBelow, 1 << 40, 1<<40 - 1,
	math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1,
}

// random returns n values of all magnitudes, extremes among them.
func random(rng *rand.Rand, n int) []int64 {
	v := make([]int64, n)
	for i := range v {
		switch rng.IntN(8) {
		case 0:
			v[i] = extremes[rng.IntN(len(extremes))]
		case 1:
			v[i] = int64(rng.Uint64()) >> rng.IntN(63)
		default:
			v[i] = rng.Int64N(1 << (1 + rng.IntN(30)))
		}
	}
	return v
}

func distribution(values []int64) *Distribution {
	d := NewDistribution()
	for _, v := range values {
		d.Record(v)
	}
	return d
}

func TestClassesTileAllMagnitudes(t *testing.T) {
	next := int64(0)
	for i := range classCount {
		low, high := classRange(i)
		if low != next || high < low || classOf(uint64(low)) != i || classOf(uint64(high)) != i {
			t.Fatalf("class %d is %d to %d, want from %d", i, low, high, next)
		}
		if i >= exactBelow && (high-low+1)*16384 > low {
			t.Fatalf("class %d from %d is %d wide", i, low, high-low+1)
		}
		next = high + 1
	}
	if next != math.MinInt64 { // one past the largest int64
		t.Errorf("last class ends before %d", next)
	}
	if got := classOf(1 << 63); got != classCount-1 {
		t.Errorf("class of 2^63 is %d", got)
	}
}

func TestEmpty(t *testing.T) {
	d := NewDistribution()
	d.RecordN(5, 0)
	if d.Count() != 0 || d.Min() != 0 || d.Max() != 0 || d.Quantile(0.5) != 0 || !math.IsNaN(d.Mean()) || !math.IsNaN(d.Stddev()) {
		t.Errorf("empty: %+v", d.Moments())
	}
	if s := d.Summary(); s != (Summary{}) {
		t.Errorf("summary %+v", s)
	}
	for range d.Buckets() {
		t.Error("a bucket in an empty distribution")
	}
}

// neighbours tells whether no float64 lies between a and b: the root of a
// rounded variance is rounded twice.
func neighbours(a, b float64) bool { return a == b || math.Nextafter(a, b) == b }

// TestClosedForms checks 0..n-1: mean (n-1)/2, variance n(n+1)/12.
func TestClosedForms(t *testing.T) {
	for _, n := range []int64{2, 3, 1000, 32768, 100_000} {
		d := NewDistribution()
		for v := range n {
			d.Record(v)
		}
		fn := float64(n)
		if got, want := d.Mean(), (fn-1)/2; got != want {
			t.Errorf("n=%d: mean %v, want %v", n, got, want)
		}
		if got, want := d.Stddev(), math.Sqrt(fn*(fn+1)/12); !neighbours(got, want) {
			t.Errorf("n=%d: stddev %v, want %v", n, got, want)
		}
		if n <= exactBelow {
			for _, q := range []float64{0, 0.07, 0.5, 0.9, 0.99, 0.999, 1} {
				want := max(int64(math.Ceil(math.Round(q*1e6)*fn/1e6)), 1) - 1
				if got := d.Quantile(q); got != want {
					t.Errorf("n=%d: quantile %v is %d, want %d", n, q, got, want)
				}
			}
		}
	}
	one := distribution([]int64{42})
	if one.Mean() != 42 || one.Stddev() != 0 || one.Quantile(0.5) != 42 {
		t.Errorf("one value: %+v", one.Summary())
	}
	// A constant far from zero has no spread, however many.
	far := NewDistribution()
	far.RecordN(math.MaxInt64, math.MaxUint64)
	if far.Mean() != math.MaxInt64 || far.Stddev() != 0 {
		t.Errorf("constant: mean %v stddev %v", far.Mean(), far.Stddev())
	}
}

func TestAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 40 {
		values := random(rng, 2+rng.IntN(3000))
		d := distribution(values)
		sum, squares := new(big.Int), new(big.Int)
		for _, v := range values {
			b := big.NewInt(v)
			sum.Add(sum, b)
			squares.Add(squares, b.Mul(b, b))
		}
		slices.Sort(values)
		n := int64(len(values))
		m := d.Moments()
		if m.Count != uint64(n) || m.Min != values[0] || m.Max != values[n-1] || m.Sum.Cmp(sum) != 0 || m.Squares.Cmp(squares) != 0 {
			t.Fatalf("trial %d: moments %v, want sum %v squares %v", trial, m, sum, squares)
		}
		mean := big.NewRat(1, n)
		mean.Mul(mean, new(big.Rat).SetInt(sum))
		if want, _ := mean.Float64(); d.Mean() != want {
			t.Errorf("trial %d: mean %v, want %v", trial, d.Mean(), want)
		}
		// sum((x-mean)^2)/(n-1), term by term
		variance := new(big.Rat)
		for _, v := range values {
			dev := new(big.Rat).Sub(new(big.Rat).SetInt64(v), mean)
			variance.Add(variance, dev.Mul(dev, dev))
		}
		variance.Mul(variance, big.NewRat(1, n-1))
		f, _ := variance.Float64()
		if want := math.Sqrt(f); !neighbours(d.Stddev(), want) {
			t.Errorf("trial %d: stddev %v, want %v", trial, d.Stddev(), want)
		}
		checkQuantiles(t, d, values)
	}
}

// checkQuantiles compares with the sorted values, within the resolution.
func checkQuantiles(t *testing.T, d *Distribution, sorted []int64) {
	t.Helper()
	qs := []float64{0.999, 0, 0.001, 0.25, 0.5, 0.5, 0.9, 0.99, 1, 0.1}
	for i, got := range d.Quantiles(qs...) {
		want := sorted[Rank(qs[i], uint64(len(sorted)))-1]
		if got != d.Quantile(qs[i]) {
			t.Errorf("quantile %v: %d in one pass, %d alone", qs[i], got, d.Quantile(qs[i]))
		}
		tolerance := float64(magnitude(want)) / 16384
		if off := float64(got) - float64(want); off < 0 || off > tolerance || want >= 0 && want < exactBelow && off != 0 {
			t.Errorf("quantile %v: %d, want %d", qs[i], got, want)
		}
	}
	var n uint64
	last := int64(math.MinInt64)
	for b := range d.Buckets() {
		if b.Low > b.High || n > 0 && b.Low <= last || b.Count == 0 {
			t.Fatalf("bucket %+v after %d", b, last)
		}
		for ; b.Count > 0; b.Count-- {
			if v := sorted[n]; v < b.Low || v > b.High {
				t.Fatalf("value %d outside its bucket %+v", v, b)
			}
			n++
		}
		last = b.High
	}
	if n != uint64(len(sorted)) {
		t.Errorf("buckets hold %d of %d values", n, len(sorted))
	}
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		q    float64
		n    uint64
		want uint64
	}{
		{0, 10, 1}, {-1, 10, 1}, {math.NaN(), 10, 1}, {0.07, 100, 7}, {0.29, 100, 29}, {0.57, 100, 57},
		{0.9, 10, 9}, {0.91, 10, 10}, {0.99, 1000, 990}, {0.9991, 1000, 1000}, {1, 10, 10}, {2, 10, 10},
		{0.5, 1, 1}, {0.5, 0, 0}, {0.999999, 1e12, 999999000000}, {1, math.MaxUint64, math.MaxUint64},
	} {
		if got := Rank(c.q, c.n); got != c.want {
			t.Errorf("Rank(%v, %d) = %d, want %d", c.q, c.n, got, c.want)
		}
	}
}

func TestMergeOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		values := random(rng, 500)
		whole := distribution(values)
		parts := make([]*Distribution, 1+rng.IntN(8))
		for i := range parts {
			parts[i] = NewDistribution()
		}
		for _, v := range values {
			parts[rng.IntN(len(parts))].RecordN(v, 1)
		}
		for range 3 {
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			sum := NewDistribution()
			for _, p := range parts {
				sum.Merge(p)
			}
			if !sum.Equal(whole) {
				t.Fatal("the order of merging shows")
			}
		}
	}
}

func TestReset(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	d := distribution(random(rng, 1000))
	d.Reset()
	if !d.Equal(NewDistribution()) {
		t.Errorf("after Reset: %v", d.Moments())
	}
	values := random(rng, 1000)
	for _, v := range values {
		d.Record(v)
	}
	if !d.Equal(distribution(values)) {
		t.Error("a reset distribution differs from a new one")
	}
	if n := testing.AllocsPerRun(100, func() { d.Record(77); d.Record(5_000_000) }); n != 0 {
		t.Errorf("%v allocations in Record", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	d := NewDistribution()
	for i := range int64(b.N) {
		d.Record(5000 + i&0x3ff)
	}
}

func BenchmarkRecordWide(b *testing.B) {
	d := NewDistribution()
	for i := range int64(b.N) {
		d.Record(500_000 + i&0xffff)
	}
}

func BenchmarkSummary(b *testing.B) {
	d := distribution(random(rand.New(rand.NewPCG(1, 1)), 100_000))
	for b.Loop() {
		d.Summary()
	}
}
