// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"siglat/analysis"
	"siglat/analysis/baseline"
	"siglat/analysis/recording"
)

func explained() []Explained {
	return []Explained{
		{"blocked-same", baseline.Explanation{MedianNS: 5762, Parts: []baseline.Part{{Name: baseline.Interrupt, NS: 852}, {Name: baseline.WakeUp, NS: 1103},
			{Name: baseline.Switching, NS: 2070}, {Name: baseline.Signal, NS: 1603}}, UnknownNS: 134, Floor: baseline.Part{Name: "wake-up by eventfd", NS: 3106}}},
		{"busy-same", baseline.Explanation{MedianNS: 2660, Parts: []baseline.Part{{Name: baseline.Interrupt, NS: 852}, {Name: baseline.Signal, NS: 2226}},
			UnknownNS: -418, Floor: baseline.Part{Name: "rest of the interrupt", NS: 852}}},
	}
}

func TestWaterfall(t *testing.T) {
	p, err := Waterfall(explained()[:1], Options{Title: "Where the latency goes"})
	golden(t, must(t, p, err), DefaultWidth, 3*vg.Inch, "waterfall.svg")
	p, err = Waterfall(explained(), Options{})
	golden(t, must(t, p, err), DefaultWidth, 4*vg.Inch, "waterfalls.svg")
	if _, err := Waterfall(nil, Options{}); err == nil {
		t.Error("no run, and no error")
	}
	for _, ns := range []int64{0, -1, 1, math.MaxInt64 / 4} {
		p, err := Waterfall([]Explained{{"awkward", baseline.Explanation{MedianNS: ns, UnknownNS: ns}}}, Options{})
		svgOf(t, p, err)
	}
}

func TestExplanationOf(t *testing.T) {
	r := &recording.Recording{Baseline: &baseline.Baseline{Clock: "virtual", PingPong: baseline.Switch{SwitchNS: 30}}}
	if _, ok := ExplanationOf(r); ok {
		t.Error("no samples, and an explanation")
	}
	r.Name, r.Latency = "a", analysis.Summary{Count: 3, P50: 100}
	r.Config.Source, r.Effective.Placement, r.Clock = "kernel", "same", "virtual"
	if e, ok := ExplanationOf(r); !ok || e.Name != "a" || e.MedianNS != 100 || e.UnknownNS != 70 {
		t.Errorf("%+v, %v", e, ok)
	}
	if r.Clock = "real"; true {
		if _, ok := ExplanationOf(r); ok {
			t.Error("a run in real time explained by baselines in virtual time")
		}
	}
}

func TestSwitches(t *testing.T) {
	cells := []baseline.Switch{{Procs: 8, Bytes: 16384, SwitchNS: 4}, {Procs: 2, SwitchNS: 1}, {Procs: 8, SwitchNS: 2}}
	rows, cols, times := switches(cells)
	if !slices.Equal(rows, []string{"0 KiB", "16 KiB"}) || !slices.Equal(cols, []string{"2", "8"}) || !slices.Equal(times[0], []float64{1, 2}) ||
		!math.IsNaN(times[1][0]) || times[1][1] != 4 {
		t.Errorf("%v %v %v", rows, cols, times)
	}
	p, err := Switches(cells, Options{})
	if s := svgOf(t, p, err); !strings.Contains(s, "processes") {
		t.Error("the axes have no names")
	}
	if _, err := Switches(nil, Options{}); err == nil {
		t.Error("no switches, and no error")
	}
}
