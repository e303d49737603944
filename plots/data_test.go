// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot"

	"siglat/analysis"
)

// skewed returns n latencies of the usual shape: none below offset, a peak,
// a tail. The same arguments give the same samples.
func skewed(n int, seed uint64, offset, median, sigma float64) *analysis.Distribution {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := analysis.NewDistribution()
	for range n {
		d.Record(int64(offset + median*math.Exp(sigma*rng.NormFloat64())))
	}
	return d
}

// values returns a distribution of the values.
func values(vs ...int64) *analysis.Distribution {
	d := analysis.NewDistribution()
	for _, v := range vs {
		d.Record(v)
	}
	return d
}

// repeated adds n times v.
func repeated(d *analysis.Distribution, v int64, n uint64) *analysis.Distribution {
	d.RecordN(v, n)
	return d
}

func with(d *analysis.Distribution, vs ...int64) *analysis.Distribution {
	for _, v := range vs {
		d.Record(v)
	}
	return d
}

func lost(n uint64) *uint64 { return &n }

// awkward are the distributions that break careless axes.
func awkward() map[string]*analysis.Distribution {
	return map[string]*analysis.Distribution{
		"nil":            nil,
		"empty":          values(),
		"one":            values(5863),
		"zero":           values(0),
		"equal":          repeated(values(), 5863, 1000),
		"two":            values(5863, 5864),
		"far apart":      values(1, 1e12),
		"negative":       skewed(1000, 1, -5000, 3000, 0.5),
		"all negative":   values(-3, -2, -1),
		"ends of int64":  repeated(values(math.MinInt64, math.MaxInt64), 5000, 1000),
		"only the ends":  values(math.MinInt64, math.MaxInt64),
		"largest":        values(math.MaxInt64),
		"smallest":       values(math.MinInt64),
		"seconds":        skewed(1000, 2, 1e9, 1e9, 0.5),
		"narrow and far": repeated(repeated(values(), 5_000_000_000, 500), 5_000_000_100, 500),
		"lone outlier":   with(skewed(1000, 3, 2000, 20000, 0.35), 10_100_065),
		"low outlier":    with(skewed(1000, 3, 2e7, 20000, 0.35), 17),
		"million":        repeated(skewed(1000, 4, 2800, 3000, 0.5), 5000, 1_000_000),
	}
}

func mustHistogram(t *testing.T, o Options, s ...Series) *plot.Plot {
	t.Helper()
	p, err := Histogram(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// repeatAll returns d with every sample n times.
func repeatAll(d *analysis.Distribution, n uint64) *analysis.Distribution {
	out := analysis.NewDistribution()
	for b := range d.Buckets() {
		out.RecordN(b.Low, b.Count*n)
	}
	return out
}

// both draws the pictures of latencies by their frequency.
func both(t *testing.T, o Options, s ...Series) map[string]*plot.Plot {
	t.Helper()
	c, err := CCDF(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*plot.Plot{"histogram": mustHistogram(t, o, s...), "ccdf": c}
}
