// SPDX-License-Identifier: GPL-2.0-only

package trend

import (
	"cmp"
	"math"
	"slices"
)

const leastSide = 3 // points on each side of a split

// A finder looks for changes in series, one after the other.
type finder struct {
	figure       string
	least, level float64
	tests        int
	series       Series
	values       []int64
	sums         map[int][][]float64 // see exactTail
}

// A cut is a place that splits a series, with the chance of one as clear.
type cut struct {
	at int
	p  float64
}

// changes appends those of the series: at each cut the part before against
// the part after.
func (f *finder) changes(found []Change) []Change {
	cuts := f.cuts(nil, 0, len(f.values))
	from := 0
	for k, c := range cuts {
		to := len(f.values)
		if k+1 < len(cuts) {
			to = cuts[k+1].at
		}
		before := f.series.Points[from:c.at]
		ch := Change{Key: f.series.Key, Figure: f.figure, P: c.p, First: f.series.Points[c.at],
			Before: median(slices.Clone(f.values[from:c.at])), After: median(slices.Clone(f.values[c.at:to]))}
		ch.Factor = float64(max(ch.After, 1)) / float64(max(ch.Before, 1))
		if !slices.ContainsFunc(before, func(p Point) bool { return p.Kernel == ch.First.Kernel }) {
			ch.Kernel = ch.First.Kernel
		}
		if share(ch.Factor) >= f.least {
			found = append(found, ch)
		}
		from = c.at
	}
	return found
}

// cuts appends those among the points from i to j, in order.
func (f *finder) cuts(all []cut, i, j int) []cut {
	ranks, ties := midranks(f.values[i:j])
	at, z := split(ranks, ties)
	if at == 0 {
		return all
	}
	p := f.chance(ranks, ties, z)
	if p > f.level {
		return all
	}
	at += i
	return f.cuts(append(f.cuts(all, i, at), cut{at, p}), at, j)
}

// midranks returns the ranks from 1, of equal values their mean, and the
// factor by which ties lower the variance of a sum of ranks.
func midranks(values []int64) (ranks []float64, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks = make([]float64, len(values))
	n := float64(len(values))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, 1 - ties/max(n*n*n-n, 1)
}

// split returns where Mann and Whitney's test, of the points before against
// those from there on, is clearest, and its statistic in standard deviations;
// 0 without such a place.
func split(ranks []float64, ties float64) (at int, z float64) {
	n := float64(len(ranks))
	sum := 0.0
	for i, r := range ranks {
		k := float64(i)
		if i >= leastSide && len(ranks)-i >= leastSide && ties > 0 {
			if s := math.Abs(sum-k*(n+1)/2) / spread(k, n, ties); s > z {
				at, z = i, s
			}
		}
		sum += r
	}
	return at, z
}

// spread is the standard deviation of the sum of k of n ranks.
func spread(k, n, ties float64) float64 { return math.Sqrt(k * (n - k) * (n + 1) / 12 * ties) }
