// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

func TestCCDFGolden(t *testing.T) {
	p, err := CCDF([]Series{
		{Name: "blocked, other CPU", Dist: skewed(100_000, 1, 20000, 20000, 0.35), Lost: lost(0)},
		{Name: "busy, other CPU", Dist: with(skewed(1000, 3, 2000, 20000, 0.35), 10_100_065), Lost: lost(0)},
	}, Options{Title: "Signal latency", BudgetNS: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, p, 7*vg.Inch, 4*vg.Inch, "ccdf.svg")
	golden(t, p, 7*vg.Inch, 4*vg.Inch, "ccdf.png")
}

func TestCCDFAwkward(t *testing.T) {
	for name, d := range awkward() {
		for _, o := range []Options{{}, {MinNS: 5000, MaxNS: 6000}, {MinNS: -5000, MaxNS: -6}, {BudgetNS: 100_000}} {
			p, err := CCDF([]Series{{Name: name, Dist: d}, {Name: "other", Dist: values(3000)}}, o)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := Encode(&b, p, 6*vg.Inch, 4*vg.Inch, "svg"); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") || b.Len() > 60_000 {
				t.Errorf("%s %+v: %d bytes, or coordinates that are no numbers", name, o, b.Len())
			}
		}
	}
}

// The labels of a logarithmic axis are at least two and do not touch.
func TestLatencyTicks(t *testing.T) {
	for _, r := range [][2]float64{{5800, 9200}, {1, 1e12}, {2700, 2800}, {900, 11_000}, {3000, 10_100_065}, {1, 2}, {5862.9, 5863.1}, {1, 9.2e18}} {
		p := plot.New()
		p.X.Min, p.X.Max, p.X.Scale = r[0], r[1], plot.LogScale{}
		sty := newPlot().X.Tick.Label
		end, labels := vg.Length(math.Inf(-1)), 0
		for _, tick := range (latencyTicks{}).Ticks(r[0], r[1]) {
			if tick.IsMinor() {
				continue
			}
			labels++
			x, w := vg.Length(p.X.Norm(tick.Value))*(DefaultWidth-80), sty.Width(tick.Label)
			if x-w/2 < end+4 {
				t.Errorf("from %g to %g: label %q touches its neighbour", r[0], r[1], tick.Label)
			}
			end = x + w/2
		}
		if labels < 2 {
			t.Errorf("from %g to %g: %d labels", r[0], r[1], labels)
		}
	}
}
