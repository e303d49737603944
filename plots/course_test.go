// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
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

// night is a run of an hour in which a load comes and goes.
func night() Course {
	c := Course{Name: "night"}
	for i := range 60 {
		median := 9000.0
		if i > 20 && i < 35 {
			median = 25000
		}
		d := skewed(1200, uint64(i), 5000, median, 0.3)
		if i == 50 {
			d.Record(310_065)
		}
		c.Slices = append(c.Slices, recording.Slice{Start: time.Duration(i) * time.Minute, End: time.Duration(i+1) * time.Minute, Dist: d})
	}
	c.Slices = append(c.Slices[:10], c.Slices[12:]...) // nothing came for two minutes
	c.Worst = []recording.Sample{
		{Seq: 9, ReceivedNS: int64(50*time.Minute + 20*time.Second), LatencyNS: 310_065, CPU: 1},
		{Seq: 4, ReceivedNS: int64(30 * time.Minute), LatencyNS: c.Slices[28].Dist.Max(), CPU: 1},
	}
	return c
}

func TestCourseGolden(t *testing.T) {
	for _, k := range []struct {
		name string
		draw func(Course, Options) (*plot.Plot, error)
	}{{"timeline", Timeline}, {"heatmap", Heatmap}} {
		p, err := k.draw(night(), Options{Title: "A night", BudgetNS: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, p, 7*vg.Inch, 4*vg.Inch, k.name+".svg")
	}
}

// svgOf draws a picture and fails on coordinates that are no numbers.
func svgOf(t *testing.T, p *plot.Plot, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Encode(&b, p, 6*vg.Inch, 4*vg.Inch, "svg"); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Error("picture has coordinates that are no numbers")
	}
	return b.String()
}

func TestCourseAwkward(t *testing.T) {
	for name, d := range awkward() {
		if d == nil {
			d = analysis.NewDistribution()
		}
		for _, length := range []time.Duration{0, time.Second, 9000 * time.Hour} {
			for _, o := range []Options{{}, {MinNS: 5000, MaxNS: 6000}, {BudgetNS: 100_000}, {BudgetNS: 1, BudgetIfNear: true}} {
				t.Run(fmt.Sprint(name, length, o), func(t *testing.T) {
					c := Course{Name: name, Slices: []recording.Slice{{End: length, Dist: d}, {Start: length, End: 2 * length, Dist: values(3000)}}}
					c.Worst = []recording.Sample{{LatencyNS: d.Max(), ReceivedNS: int64(length)}}
					for _, c := range []Course{c, {Slices: c.Slices[:1]}} {
						p, err := Timeline(c, o)
						svgOf(t, p, err)
						p, err = Heatmap(c, o)
						svgOf(t, p, err)
					}
				})
			}
		}
	}
	if _, err := Heatmap(Course{}, Options{}); err == nil || !strings.Contains(err.Error(), "no intervals") {
		t.Errorf("heat map of nothing: %v", err)
	}
	if _, err := Timeline(night(), Options{BudgetNS: -1}); err == nil {
		t.Error("a negative budget is taken")
	}
}

// Percentiles are drawn only where the intervals hold enough samples.
func TestCourseQuantiles(t *testing.T) {
	for n, want := range map[uint64]string{1: "maximum", 3: "maximum median minimum", 150: "maximum p99 median minimum", 1000: "maximum p99.9 p99 median minimum"} {
		c := Course{Slices: []recording.Slice{{End: 1, Dist: repeated(values(), 5, n)}}}
		var got []string
		for _, q := range c.quantiles() {
			got = append(got, q.name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d samples: lines %q, want %q", n, got, want)
		}
	}
}

// Every sample above 0 is in a cell or told.
func TestCellsCountAll(t *testing.T) {
	c := night()
	o := Options{MinNS: 8000, MaxNS: 40_000}
	r, _, _ := c.span(&o)
	m := newCells(c, r)
	total := m.below + m.above
	for _, column := range m.counts {
		for _, n := range column {
			total += n
		}
	}
	var want uint64
	for _, s := range c.Slices {
		want += s.Dist.Count()
	}
	if total != want || m.below == 0 || m.above == 0 {
		t.Errorf("%d samples in cells, below and above, want %d", total, want)
	}
	p, err := Heatmap(c, o)
	if s := svgOf(t, p, err); !strings.Contains(s, "beyond the axis: "+Count(m.below)+" below") {
		t.Error("picture does not tell what lies beyond its axis")
	}
}

func TestScale(t *testing.T) {
	for _, most := range []uint64{0, 1, 2, 5, 8, 9, 1000, math.MaxUint64} {
		s := scaleTo(most)
		if s.starts[0] != 1 || len(s.starts) > len(Ramp) {
			t.Errorf("up to %d: steps %v", most, s.starts)
		}
		for i, from := range s.starts {
			if s.step(from) != i || i > 0 && (s.step(from-1) != i-1 || s.color(i) == s.color(i-1)) {
				t.Errorf("up to %d: step of %d is %d, want %d", most, from, s.step(from), i)
			}
		}
	}
	// Grey print keeps the order.
	last := 256.0
	for _, c := range Ramp {
		grey := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
		if grey > last-12 {
			t.Errorf("step of grey value %.0f after %.0f", grey, last)
		}
		last = grey
	}
}

func TestTimeAxis(t *testing.T) {
	for _, c := range []struct {
		length time.Duration
		name   string
		step   float64
	}{
		{time.Second, "ms", 100e6}, {7 * time.Second, "s", 1e9}, {100 * time.Second, "s", 10e9}, {10 * time.Minute, "min", 60e9},
		{333 * time.Minute, "h", 3600e9}, {14 * 24 * time.Hour, "d", 2 * 86400e9},
	} {
		a := newTimeAxis(c.length)
		if a.name != c.name || a.step != c.step {
			t.Errorf("%v: labels every %g ns in %s, want %g in %s", c.length, a.step, a.name, c.step, c.name)
		}
		labels := 0
		for _, tick := range a.Ticks(0, float64(c.length)) {
			if !tick.IsMinor() {
				labels++
			}
		}
		if labels < 4 || labels > 11 {
			t.Errorf("%v: %d labels", c.length, labels)
		}
	}
}
