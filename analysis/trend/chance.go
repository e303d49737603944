// SPDX-License-Identifier: GPL-2.0-only

package trend

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// A test by random orders ends when chance did as well this many times:
	// what is not significant costs little.
	enough = 20
	// Random orders at most, if the level can be reached with so few.
	most = 50_000
	// Points up to which tails are counted, and from which on the normal
	// distribution's are wider.
	exactMost = 64
	// Few values occur twice: the factor of midranks. With many the tail of a
	// sum of ranks may be wider than the normal distribution's.
	fewTies = 0.99
)

// chance returns how often a random order of the ranks has a split as clear
// as z, with Bonferroni's correction for the number of series. Where a bound
// of it is below the level that stands for it; else it is found by random
// orders (Besag and Clifford, Sequential Monte Carlo p-values, 1991), enough of
// them to get below the level however many series there are.
func (f *finder) chance(ranks []float64, ties, z float64) float64 {
	if p := f.bound(len(ranks), ties, z) * float64(f.tests); p <= f.level {
		return max(p, math.SmallestNonzeroFloat64)
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(ranks))))
	order := slices.Clone(ranks)
	needed := float64(f.tests) / f.level
	rounds := int(min(enough*needed+enough, max(most, 2*needed)))
	reached := 0
	for n := 1; n <= rounds; n++ {
		rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		if _, other := split(order, ties); other >= z {
			if reached++; reached == enough {
				return min(1, float64(reached)/float64(n)*float64(f.tests))
			}
		}
	}
	return min(1, float64(reached+1)/float64(rounds+1)*float64(f.tests))
}

// bound is the sum, over all places of a split, of the chance that there it is
// as clear as z: not less than that of any of them. It is 1 where that is not
// known.
func (f *finder) bound(n int, ties, z float64) float64 {
	sum := 0.0
	for k := leastSide; k <= n-leastSide; k++ {
		switch {
		case n <= exactMost && ties == 1:
			sum += f.exactTail(k, n, z)
		case n > exactMost && ties >= fewTies:
			sum += math.Erfc(z / math.Sqrt2)
		default:
			return 1
		}
	}
	return min(1, sum)
}

// exactTail is the chance that the sum of k of the ranks 1 to n is z standard
// deviations or more from its mean.
func (f *finder) exactTail(k, n int, z float64) float64 {
	if f.sums == nil {
		f.sums = map[int][][]float64{}
	}
	if f.sums[n] == nil {
		f.sums[n] = rankSums(n)
	}
	mean, far := float64(k*(n+1))/2, z*spread(float64(k), float64(n), 1)-1e-9
	tail, all := 0.0, 0.0
	for sum, ways := range f.sums[n][k] {
		all += ways
		if math.Abs(float64(sum)-mean) >= far {
			tail += ways
		}
	}
	return tail / all
}

// rankSums counts, for each k, in how many ways k of the ranks 1 to n have each
// sum: with every rank, those that leave it out and those that hold it (Mann
// and Whitney, 1947).
func rankSums(n int) [][]float64 {
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, n*(n+1)/2+1)
	}
	ways[0][0] = 1
	for rank := 1; rank <= n; rank++ {
		for k := rank; k > 0; k-- {
			for sum := len(ways[k]) - 1; sum >= rank; sum-- {
				ways[k][sum] += ways[k-1][sum-rank]
			}
		}
	}
	return ways
}
