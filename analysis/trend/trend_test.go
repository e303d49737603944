// SPDX-License-Identifier: GPL-2.0-only

package trend

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var begin = time.Date(2026, 6, 1, 6, 0, 0, 0, time.UTC)

// history returns two runs a day of a host, of which p99 says how long they
// took; noise of 5 %.
func history(rng *rand.Rand, host string, days int, kernel func(day int) string, p99 func(day int) float64) []Point {
	var points []Point
	for i := range 2 * days {
		v := p99(i/2) * (1 + 0.05*rng.NormFloat64())
		points = append(points, Point{Key: Key{host, "kernel, sigwait"}, Kernel: kernel(i / 2), Start: begin.Add(time.Duration(i) * 12 * time.Hour),
			P50: int64(v / 2), P99: int64(v), Max: int64(v * (1 + rng.ExpFloat64())), Count: 1000, Lost: uint64(i % 2), Path: fmt.Sprintf("%s/%d", host, i)})
	}
	return points
}

func always[T any](v T) func(int) T { return func(int) T { return v } }

// TestChanges: one host gets slower with a kernel, another faster without one,
// a third has a bad day, the rest just noise.
func TestChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kernel := func(day int) string {
		if day >= 40 {
			return "6.12.2"
		}
		return "6.12.1"
	}
	points := history(rng, "slower", 60, kernel, func(day int) float64 {
		if day >= 40 {
			return 14000
		}
		return 10000
	})
	points = append(points, history(rng, "faster", 60, always("6.12.1"), func(day int) float64 {
		if day >= 20 {
			return 5000
		}
		return 10000
	})...)
	points = append(points, history(rng, "mended", 60, always("6.12.1"), func(day int) float64 {
		if day >= 20 && day < 48 {
			return 13000
		}
		return 10000
	})...)
	points = append(points, history(rng, "outlier", 60, always("6.12.1"), func(day int) float64 {
		if day == 30 {
			return 1e7
		}
		return 10000
	})...)
	for i := range 20 {
		points = append(points, history(rng, fmt.Sprintf("noise%d", i), 60, kernel, always(10000.0))...)
	}
	rng.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	found := Changes(Group(points), "p99", 0.1, 0.01)
	var got []string
	for _, c := range found {
		got = append(got, fmt.Sprintf("%s %.1f %s %d %v", c.Host, c.Factor, c.Kernel, int(c.First.Start.Sub(begin).Hours()/24), c.Regression()))
		if c.P > 0.01 || c.P <= 0 {
			t.Errorf("%+v", c)
		}
	}
	want := []string{"faster 0.5  20 false", "mended 1.3  20 false", "mended 0.8  48 false", "slower 1.4 6.12.2 40 true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if again := Changes(Group(points), "p99", 0.1, 0.01); !slices.Equal(again, found) {
		t.Error("the same points gave other changes")
	}
	if few := Changes(Group(points[:3]), "p99", 0.1, 0.01); len(few) != 0 {
		t.Errorf("three points: %+v", few)
	}
}

// TestFalseAlarms: at a level of 0.05 hardly one of 60 sets without a change
// shows one: three are expected.
func TestFalseAlarms(t *testing.T) {
	alarms := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var points []Point
		for i := range 4 {
			points = append(points, history(rng, fmt.Sprint(i), 15, always("k"), always(10000.0))...)
		}
		alarms += min(1, len(Changes(Group(points), "p99", 1e-6, 0.05)))
	}
	if alarms > 8 {
		t.Errorf("%d of 60 sets without a change show one", alarms)
	}
}

func TestCellsAndDays(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	kernel := func(day int) string { return []string{"a", "b"}[day/5] }
	points := history(rng, "h", 10, kernel, always(1000.0))
	points[7].Max = 1 << 40
	cells := Cells(Group(points))
	if len(cells) != 2 || cells[0].Kernel != "a" || cells[0].Runs != 10 || cells[0].Max != 1<<40 || cells[0].Count != 10000 || cells[0].Lost != 5 ||
		!cells[1].First.Equal(begin.Add(5*24*time.Hour)) || cells[1].P99 < 900 || cells[1].P99 > 1100 {
		t.Errorf("%+v", cells)
	}
	days := Days(points)
	if len(days) < 10 || len(days) > 11 || days[3].Path != "h/7" && days[4].Path != "h/7" {
		t.Errorf("%d days: %+v", len(days), days)
	}
}
