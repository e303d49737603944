// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"testing"
)

func TestRoundUp(t *testing.T) {
	for _, c := range [][2]float64{{1, 1}, {1.1, 2}, {2, 2}, {2.1, 5}, {5, 5}, {5.1, 10}, {10, 10}, {99, 100}, {0.03, 0.05}, {1e17, 1e17}} {
		if got := roundUp(c[0]); math.Abs(got-c[1]) > 1e-9*c[1] {
			t.Errorf("roundUp(%v) = %v, want %v", c[0], got, c[1])
		}
	}
}

func TestFloorDiv(t *testing.T) {
	for _, c := range [][3]int64{{0, 5, 0}, {4, 5, 0}, {5, 5, 1}, {-1, 5, -1}, {-5, 5, -1}, {-6, 5, -2}, {math.MinInt64, 1, math.MinInt64}, {math.MaxInt64, 1000, math.MaxInt64 / 1000}} {
		if got := floorDiv(c[0], c[1]); got != c[2] {
			t.Errorf("floorDiv(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// Every sample is in exactly one bin or beyond the range, the ends exactly.
func TestBinsKeepEverySample(t *testing.T) {
	for name, d := range awkward() {
		s := collect(d)
		if s.n == 0 {
			continue
		}
		for _, width := range []int64{1, 7, 1000, 1e12} {
			for _, r := range []span{s.all(), {0, 6000}, {-1e9, -1}} {
				bins, under, over := s.bins(width, r)
				total := under + over
				for i, b := range bins {
					total += b.count
					if i > 0 && bins[i-1].index >= b.index {
						t.Fatalf("%s, width %d: bins out of order", name, width)
					}
				}
				if total != s.n {
					t.Errorf("%s, width %d, range %v: %d samples in bins, want %d", name, width, r, total, s.n)
				}
			}
		}
		bins, _, _ := s.bins(1000, s.all())
		if first, last := bins[0].index, bins[len(bins)-1].index; first != floorDiv(s.min, 1000) || last != floorDiv(s.max, 1000) {
			t.Errorf("%s: bins from %d to %d, want the ends %d and %d in them", name, first, last, floorDiv(s.min, 1000), floorDiv(s.max, 1000))
		}
	}
}

func TestBinWidth(t *testing.T) {
	for _, c := range []struct {
		name   string
		sample sample
		over   span
		want   int64
	}{
		{"one value", collect(values(5863)), span{5853, 5873}, 1},
		{"thousand", collect(skewed(1000, 1, 2000, 20000, 0.35)), span{0, 60000}, 1000},
		{"a million is not finer", collect(repeatAll(skewed(1000, 1, 2000, 20000, 0.35), 1000)), span{0, 60000}, 1000},
		{"a microsecond is too wide", collect(repeatAll(skewed(1000, 1, 200, 2000, 0.35), 1000)), span{0, 6000}, 20},
		{"a microsecond is too narrow", collect(skewed(1000, 1, 20000, 200_000, 0.35)), span{0, 600_000}, 10_000},
		{"wide classes", collect(skewed(100_000, 1, 1e9, 1e6, 0.1)), span{1e9, 1.003e9}, 200_000},
	} {
		if got := binWidth([]sample{c.sample}, c.over); got != c.want {
			t.Errorf("%s: bins of %d ns, want %d", c.name, got, c.want)
		}
	}
}

// The number of bins over the bulk stays within its limits.
func TestBinCount(t *testing.T) {
	for name, d := range awkward() {
		s := collect(d)
		if s.n == 0 || name == "ends of int64" || name == "only the ends" {
			continue
		}
		a := newAxis([]sample{s}, s.all(), s.bulk(), Options{})
		w := float64(binWidth([]sample{s}, a.main().span))
		if n := a.main().width() / w; n > mostBins+1 {
			t.Errorf("%s: %g bins, want at most %d", name, n, mostBins)
		}
	}
}

func TestBulkLeavesOutliers(t *testing.T) {
	d := repeated(values(), 5000, 980)
	s := collect(with(repeated(d, 6000, 10), 1, 2, 3, 1e6, 2e6, 3e6))
	if b := s.bulk(); b.lo != 5000 || b.hi != 6000 {
		t.Errorf("bulk of %d samples is %v, want 5000 to 6000", s.n, b)
	}
	if b := collect(values(1, 2, 3)).bulk(); b.lo != 1 || b.hi != 3 {
		t.Errorf("bulk of three samples is %v, want all", b)
	}
}
