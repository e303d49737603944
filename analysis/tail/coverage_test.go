// SPDX-License-Identifier: GPL-2.0-only

package tail

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"siglat/analysis"
)

// A law is a distribution of which the quantiles are known: quantile(p) is
// exceeded with probability p.
type law struct {
	name     string
	quantile func(p float64) float64
}

func gpd(shape float64) func(float64) float64 {
	return func(p float64) float64 { return 5000 + 20000/shape*(math.Pow(p, -shape)-1) }
}

func sampleOf(rng *rand.Rand, quantile func(float64) float64, n int) *analysis.Distribution {
	d := analysis.NewDistribution()
	for range n {
		d.Record(int64(quantile(1 - rng.Float64())))
	}
	return d
}

// TestCoverage draws samples of known laws. The intervals for the values that
// one of 10 n and 100 n values exceeds hold them as often as they say, 95 %,
// and a fit is refused about as often as its test is wrong, 5 %. (Of 300 samples
// of 20000 each: 261, 264 and 257 of 276 hold one in 10 n, 93 to 95 %.)
func TestCoverage(t *testing.T) {
	const trials, n = 100, 10_000
	for _, l := range []law{
		{"exponential", func(p float64) float64 { return 5000 - 20000*math.Log(p) }},
		{"generalised Pareto, shape 0.2", gpd(0.2)},
		{"generalised Pareto, shape -0.2", gpd(-0.2)},
	} {
		rng := rand.New(rand.NewPCG(7, 8))
		fits := 0
		held := map[float64]int{10: 0, 100: 0}
		for range trials {
			f, err := Of(sampleOf(rng, l.quantile, n))
			if err != nil {
				if !errors.Is(err, ErrPoor) {
					t.Fatalf("%s: %v", l.name, err)
				}
				continue
			}
			fits++
			for k := range held {
				e := f.Return(k * n)
				if want := l.quantile(1 / (k * n)); e.Low <= want && want <= e.High {
					held[k]++
				}
			}
		}
		t.Logf("%s: %d of %d fits, intervals hold %v", l.name, fits, trials, held)
		// four standard errors of a binomial for the refusals; the interval
		// is symmetric, which costs some of the confidence
		if refused := trials - fits; refused > 14 {
			t.Errorf("%s: %d of %d fits refused", l.name, refused, trials)
		}
		for k, h := range held {
			if share := float64(h) / float64(fits); share < 0.86 {
				t.Errorf("%s: %.3f of the intervals for one of %g n hold the value", l.name, share, k)
			}
		}
	}
}

// TestRefused draws samples of laws for which the estimate would be wrong.
func TestRefused(t *testing.T) {
	const trials, n = 20, 20_000
	for _, l := range []struct {
		law
		most int // estimates
	}{
		{law{"uniform: an end, where errors are not known", func(p float64) float64 { return 5000 + 20000*(1-p) }}, 0},
		{law{"Pareto, shape 0.8: infinite variance", gpd(0.8)}, 0},
		{law{"a hump far out, one in 100 values", func(p float64) float64 {
			if p < 0.01 {
				return 500_000 + 10_000*p
			}
			return 5000 - 2000*math.Log(p)
		}}, 0},
	} {
		rng := rand.New(rand.NewPCG(9, 10))
		got := 0
		for range trials {
			if _, err := Of(sampleOf(rng, l.quantile, n)); err == nil {
				got++
			} else if !errors.Is(err, ErrPoor) {
				t.Errorf("%s: %v", l.name, err)
			}
		}
		if got > l.most {
			t.Errorf("%s: %d of %d samples give an estimate", l.name, got, trials)
		}
	}
}
