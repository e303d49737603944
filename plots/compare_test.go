// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// weeks returns two runs a day; the one before the last but four has an
// outlier.
func weeks(n int) []Series {
	var s []Series
	for i := range n {
		d := skewed(2000, uint64(i), 5000, 9000+1000*math.Sin(float64(i)/8), 0.3)
		if i == n-5 {
			d.Record(61_250)
		}
		s = append(s, Series{Name: fmt.Sprintf("run-%d", i+1), Dist: d, Start: time.Date(2026, 3, 1, 6+12*i, 0, 0, 0, time.UTC)})
	}
	return s
}

func must(t *testing.T, p *plot.Plot, err error) *plot.Plot {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestComparingGolden(t *testing.T) {
	three := []Series{
		{Name: "blocked, other CPU", Dist: skewed(1000, 1, 20000, 20000, 0.35)},
		{Name: "busy, other CPU", Dist: with(skewed(1000, 3, 2000, 20000, 0.35), 10_100_065)},
		{Name: "starved"},
	}
	p, err := Box(three, Options{Title: "Three set-ups", BudgetNS: 100_000})
	golden(t, must(t, p, err), 7*vg.Inch, 4*vg.Inch, "box.svg")
	p, err = Ridge(weeks(24), Options{Title: "Two weeks"})
	golden(t, must(t, p, err), 7*vg.Inch, 4*vg.Inch, "ridge.svg")
	p, err = Segments([]Breakdown{
		{Name: "blocked, same CPU", Median: Parts{812, 240, 5863}, Worst: Parts{2210, 250, 11_750}, HasWorst: true},
		{Name: "blocked, other CPU", Median: Parts{790, 240, 7456}},
	}, Options{Title: "Where the time goes"})
	golden(t, must(t, p, err), 7*vg.Inch, 3*vg.Inch, "segments.svg")
	p, err = Matrix([]string{"0 KiB", "16 KiB", "1 MiB"}, []string{"2", "8"}, [][]float64{{1200, 1300}, {1500, math.NaN()}, {9000, 31_000}},
		Options{Title: "Context switch", RowText: "working set", ColumnText: "processes"})
	golden(t, must(t, p, err), 5*vg.Inch, 3*vg.Inch, "matrix.svg")
}

func TestComparingAwkward(t *testing.T) {
	for name, d := range awkward() {
		for _, o := range []Options{{}, {Plain: true}, {MinNS: 5000, MaxNS: 6000}, {BudgetNS: 100_000}} {
			for _, s := range [][]Series{{{Name: name, Dist: d}}, {{Name: name, Dist: d}, {Name: "other", Dist: values(3000)}}} {
				p, err := Box(s, o)
				svgOf(t, p, err)
				p, err = Ridge(s, o)
				svgOf(t, p, err)
			}
		}
	}
}

// The run with the highest latency is named, whatever the order of the runs.
func TestRidgeNamesWorst(t *testing.T) {
	s := weeks(20)
	s[3], s[15] = s[15], s[3]
	p, err := Ridge(s, Options{})
	svg := svgOf(t, p, err)
	for _, want := range []string{"highest latency: 61.25\u00a0µs, in run-16 (2026-03-08)", "20 runs, 40\u00a0001 samples, the newest in front", "2026-03-01", "2026-03-10"} {
		if !strings.Contains(svg, want) {
			t.Errorf("picture lacks %q", want)
		}
	}
	for i := range s {
		s[i].Start = time.Time{}
	}
	p, err = Ridge(s, Options{})
	if svg := svgOf(t, p, err); !strings.Contains(svg, "the last in front") || strings.Contains(svg, "2026") {
		t.Error("runs without a date have one")
	}
}

// Every sample is in a ridge or told.
func TestRidgeCountsAll(t *testing.T) {
	for _, o := range []Options{{}, {Plain: true}, {MinNS: 8000, MaxNS: 20_000}} {
		s := weeks(6)
		s = append(s, Series{Name: "far", Dist: with(skewed(2000, 1, 5000, 9000, 0.3), 17, 10_100_065)})
		g := &ridges{series: s, samples: collectAll(s), worst: -1}
		if !g.lay(&o) {
			t.Fatal("no samples")
		}
		n := g.beyond
		for _, counts := range g.counts {
			for _, c := range counts {
				n += c
			}
		}
		if n != g.total || (g.beyond > 0) != o.ranged() || g.log != (!o.Plain && !o.ranged()) {
			t.Errorf("%+v: %d of %d samples, %d beyond, logarithmic %v", o, n, g.total, g.beyond, g.log)
		}
	}
}

func TestBreakdown(t *testing.T) {
	r := &recording.Recording{Run: recording.Run{Name: "run", Latency: analysis.Summary{P50: 5000}}}
	if _, ok := BreakdownOf(r); ok {
		t.Error("a run without parts has some")
	}
	r.Segments = map[string]analysis.Summary{"timer": {Count: 1, P50: 800}, "module": {Count: 1, P50: 200}}
	b, ok := BreakdownOf(r)
	if want := (Breakdown{Name: "run", Median: Parts{800, 200, 5000}}); !ok || b != want {
		t.Errorf("%+v, want %+v", b, want)
	}
	r.Worst = []recording.Sample{{LatencyNS: 9000, Parts: map[string]int64{"timer": 1, "module": 2}}, {LatencyNS: 8000}}
	if b, _ := BreakdownOf(r); b.Worst != (Parts{1, 2, 9000}) || !b.HasWorst {
		t.Errorf("worst sample: %+v", b)
	}
	for _, v := range []Parts{{}, {-5, 3, 7}, {-1, -1, -1}, {math.MaxInt64 / 4, 1, 1}} {
		p, err := Segments([]Breakdown{{Name: "x", Median: v, Worst: v, HasWorst: true}}, Options{})
		if s := svgOf(t, p, err); strings.Contains(s, "negative") != (v.TimerNS < 0) {
			t.Errorf("%+v: a negative part is not told", v)
		}
	}
	if _, err := Segments(nil, Options{}); err == nil {
		t.Error("segments of nothing")
	}
}

func TestMatrixRejects(t *testing.T) {
	for _, c := range []struct {
		rows, cols []string
		ns         [][]float64
	}{{nil, nil, nil}, {[]string{"a"}, []string{"b"}, nil}, {[]string{"a"}, []string{"b"}, [][]float64{{1, 2}}}} {
		if _, err := Matrix(c.rows, c.cols, c.ns, Options{}); err == nil || !strings.Contains(err.Error(), "matrix") {
			t.Errorf("%v: error %v", c, err)
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1), 1e18} {
		p, err := Matrix([]string{"a"}, []string{"b", "c"}, [][]float64{{v, v}}, Options{})
		if s := svgOf(t, p, err); strings.Contains(s, "no times") != (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("matrix of %v: %.80s", v, s)
		}
	}
}
