// SPDX-License-Identifier: GPL-2.0-only

package trend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBound compares the bound with how often random orders of ranks have a
// split as clear.
func TestBound(t *testing.T) {
	const rounds = 100_000
	for _, n := range []int{6, 9, 14, 40, 90} {
		ranks := make([]float64, n)
		for i := range ranks {
			ranks[i] = float64(i + 1)
		}
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		for _, z := range []float64{1.9, 2.4, 2.8, 3.2} {
			reached := 0
			for range rounds {
				rng.Shuffle(n, func(a, b int) { ranks[a], ranks[b] = ranks[b], ranks[a] })
				if _, other := split(ranks, 1); other >= z {
					reached++
				}
			}
			p, got := float64(reached)/rounds, (&finder{}).bound(n, 1, z)
			noise := 4 * math.Sqrt(p/rounds)
			if got < p-noise || got > float64(n)*(p+noise) || p > 0 && n <= exactMost && got == 0 {
				t.Errorf("%d points, z %.1f: bound %.2g, of random orders %.2g", n, z, got, p)
			}
		}
	}
	// A perfect split in the middle is one order of C(20,10), either way.
	if got, want := (&finder{}).exactTail(10, 20, 50/spread(10, 20, 1)), 2/184756.0; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	// Two values alone: a split of three of sixty is one order of 34220, but
	// far out for a normal distribution.
	ranks, ties := midranks(append(make([]int64, 57), 1, 1, 1))
	if at, z := split(ranks, ties); at != 57 || (&finder{}).bound(60, ties, z) != 1 {
		t.Errorf("at %d, %g", at, (&finder{}).bound(60, ties, z))
	}
}

// TestManySeries: a change is found among any number of series, with values
// that are all different and with few.
func TestManySeries(t *testing.T) {
	for _, step := range []int64{1, 2000} {
		rng := rand.New(rand.NewPCG(1, 2))
		var points []Point
		for i := range 700 {
			points = append(points, history(rng, fmt.Sprintf("h%03d", i), 15, always("k"), func(day int) float64 {
				if i == 300 && day >= 8 {
					return 20000
				}
				return 10000
			})...)
		}
		for i := range points {
			points[i].P99 = points[i].P99 / step * step
		}
		if found := Changes(Group(points), "p99", 0.1, 0.01); len(found) != 1 || found[0].Host != "h300" || found[0].P > 0.01 {
			t.Errorf("step %d: %+v", step, found)
		}
	}
}
