// SPDX-License-Identifier: GPL-2.0-only

package comparison

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"siglat/analysis"
)

// stored returns the values (i*step) mod modulus + low, i from 0 to n-1.
func stored(n, step, modulus, low int64) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i)*step%modulus + low
	}
	return v
}

func dist(v []int64) *analysis.Distribution {
	d := analysis.NewDistribution()
	for _, x := range v {
		d.Record(x)
	}
	return d
}

// TestMannWhitney compares with scipy 1.10.1:
// stats.mannwhitneyu(a, b, use_continuity=True, method="asymptotic").
func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		a, b []int64
		u, p float64
	}{
		{stored(50, 7, 53, 100), stored(40, 11, 53, 105), 826.5, 0.1600335177093829},
		{stored(1000, 37, 1009, 5000), stored(900, 41, 1013, 5000), 448551.0, 0.90344541661846},
		{stored(200, 3, 5, 1), stored(300, 3, 7, 1), 21480.0, 5.078524001631015e-08},
		{stored(500, 17, 499, 6000), stored(500, 19, 503, 6200), 44700.5, 3.275276194378367e-69},
		{stored(30, 1, 1000, 1), stored(30, 1, 1000, 31), 0.0, 3.019859359162157e-11},
	} {
		w := mannWhitney(dist(c.a), dist(c.b))
		n := float64(len(c.a) * len(c.b))
		if w.U != c.u || math.Abs(w.P-c.p) > 1e-9*c.p+1e-300 || math.Abs(w.Effect-(1-c.u/n)) > 1e-15 {
			t.Errorf("%+v, want U %v p %v", w, c.u, c.p)
		}
	}
}

// TestBootstrap compares with resampling value by value.
func TestBootstrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := make([]int64, 400), make([]int64, 300)
	for i := range a {
		a[i] = 5000 + int64(rng.ExpFloat64()*300)
	}
	for i := range b {
		b[i] = 5200 + int64(rng.ExpFloat64()*300)
	}
	for _, q := range []float64{0.5, 0.9} {
		d := make([]int64, 4000)
		for i := range d {
			d[i] = drawn(rng, b, q) - drawn(rng, a, q)
		}
		slices.Sort(d)
		got := bootstrap(dist(a), dist(b), q)
		width := float64(d[3899] - d[100])
		if math.Abs(float64(got.Low-d[100])) > width/5 || math.Abs(float64(got.High-d[3899])) > width/5 {
			t.Errorf("q %v: %+v, by resampling %d to %d", q, got, d[100], d[3899])
		}
		if again := bootstrap(dist(a), dist(b), q); again != got {
			t.Errorf("q %v: %+v, then %+v", q, got, again)
		}
	}
}

func drawn(rng *rand.Rand, v []int64, q float64) int64 {
	r := make([]int64, len(v))
	for i := range r {
		r[i] = v[rng.IntN(len(v))]
	}
	slices.Sort(r)
	return r[analysis.Rank(q, uint64(len(r)))-1]
}
