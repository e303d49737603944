// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"math"
	"testing"
)

// TestIntervalRanks compares with scipy 1.10.1, stats.binom: the same bounds
// found by its cdf and sf, on n and q below.
func TestIntervalRanks(t *testing.T) {
	for _, c := range []struct {
		n       uint64
		q       float64
		l, u    uint64
		reached float64
	}{
		{1, 0.5, 0, 0, 1.000000000},
		{1, 0.9, 0, 0, 1.000000000},
		{1, 0.99, 1, 0, 0.990000000},
		{1, 0.999, 1, 0, 0.999000000},
		{1, 0.999999, 1, 0, 0.999999000},
		{10, 0.5, 2, 9, 0.978515625},
		{10, 0.9, 7, 0, 0.987204802},
		{10, 0.99, 9, 0, 0.995733800},
		{10, 0.999, 10, 0, 0.990044880},
		{10, 0.999999, 10, 0, 0.999990000},
		{100, 0.5, 40, 61, 0.964799800},
		{100, 0.9, 84, 96, 0.955690107},
		{100, 0.99, 97, 0, 0.981625964},
		{100, 0.999, 99, 0, 0.995361932},
		{100, 0.999999, 100, 0, 0.999900005},
		{1000, 0.5, 469, 532, 0.953708803},
		{1000, 0.9, 881, 919, 0.954907181},
		{1000, 0.99, 983, 997, 0.976094763},
		{1000, 0.999, 997, 0, 0.981073167},
		{1000, 0.999999, 1000, 0, 0.999000499},
		{100000, 0.5, 49690, 50311, 0.950444285},
		{100000, 0.9, 89814, 90187, 0.950690416},
		{100000, 0.99, 98938, 99062, 0.951233861},
		{100000, 0.999, 99880, 99920, 0.954789057},
		{100000, 0.999999, 99999, 0, 0.995321201},
		{100000000, 0.5, 49990200, 50009801, 0.950015897},
		{100000000, 0.9, 89994120, 90005881, 0.950023690},
		{100000000, 0.99, 98998049, 99001951, 0.950101016},
		{100000000, 0.999, 99899380, 99900620, 0.950190299},
		{100000000, 0.999999, 99999880, 99999920, 0.954681602},
	} {
		l, u, reached := intervalRanks(c.n, c.q, 0.025)
		if l != c.l || u != c.u || math.Abs(reached-c.reached) > 1e-6 {
			t.Errorf("n=%d q=%v: %d, %d, %v; want %d, %d, %v", c.n, c.q, l, u, reached, c.l, c.u, c.reached)
		}
	}
}

func TestQuantileIntervals(t *testing.T) {
	d := NewDistribution()
	for v := range int64(1000) {
		d.Record(v)
	}
	i := d.QuantileIntervals(0.95, 0.5, 0.999)
	if m := i[0]; m.Value != 499 || m.Low != 468 || m.High != 531 || m.LowOpen || m.HighOpen || m.Confidence < 0.95 {
		t.Errorf("median %+v", m)
	}
	if m := i[1]; !m.HighOpen || m.Value != 998 {
		t.Errorf("p99.9 of 1000 values %+v", m)
	}
	for _, i := range NewDistribution().QuantileIntervals(0.95, 0.5) {
		if !i.LowOpen || !i.HighOpen || i.Confidence != 0 {
			t.Errorf("no values: %+v", i)
		}
	}
}

func TestBounds(t *testing.T) {
	if got := ExceedanceBound(1_000_000, 0.95); math.Abs(got-2.995728e-6) > 1e-11 {
		t.Errorf("rule of three: %v", got)
	}
	if ExceedanceBound(0, 0.95) != 1 {
		t.Error("no values bound nothing")
	}
	d := NewDistribution()
	d.RecordN(5, 3)
	d.RecordN(1_000_000, 2)
	if low, high := d.Over(5); low != 2 || high != 2 {
		t.Errorf("over 5: %d to %d", low, high)
	}
	if low, high := d.Over(1_000_000); low != 0 || high != 0 {
		t.Errorf("over the maximum: %d to %d", low, high)
	}
	if ClockCycles(2_000_000) != 50_000 || ClockCycles(0) != 0 {
		t.Error("10^5 cycles of 2 GHz are 50 us")
	}
}
