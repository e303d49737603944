// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"time"

	"gonum.org/v1/plot"
)

// A timeAxis counts from the start of a run. Its data is in ns.
type timeAxis struct {
	name string
	ns   float64
	step float64 // between labels, in ns
}

// timeSteps are the distances of labels that read well, in the unit before.
var timeSteps = []struct {
	name  string
	ns    float64
	steps []float64
}{
	{"µs", 1e3, []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{"ms", 1e6, []float64{1, 2, 5, 10, 20, 50, 100}},
	{"s", 1e9, []float64{0.2, 0.5, 1, 2, 5, 10, 20, 50}},
	{"min", 60e9, []float64{1, 2, 5, 10, 20}},
	{"h", 3600e9, []float64{0.5, 1, 2, 4, 6, 12}},
	{"d", 86400e9, []float64{0.5, 1, 2, 5, 7, 14, 28, 50, 100, 200, 500, 1000}},
}

// newTimeAxis returns an axis of at most about ten labels.
func newTimeAxis(length time.Duration) timeAxis {
	var a timeAxis
	for _, u := range timeSteps {
		for _, s := range u.steps {
			a = timeAxis{u.name, u.ns, s * u.ns}
			if float64(length)/a.step <= 10 {
				return a
			}
		}
	}
	return a
}

// apply makes a the x axis of p, from 0 to end.
func (a timeAxis) apply(p *plot.Plot, end time.Duration) {
	p.X.Min, p.X.Max = 0, float64(max(end, 1))
	p.X.Label.Text = "time since the start (" + a.name + ")"
	p.X.Tick.Marker = a
}

// Ticks implements plot.Ticker.
func (a timeAxis) Ticks(lo, hi float64) []plot.Tick {
	u := unit{a.name, a.ns}
	minor := a.step / 5
	if lead := a.step / a.ns; lead == 2 || lead == 4 || lead == 20 || lead == 200 || lead == 28 {
		minor = a.step / 4
	}
	var ticks []plot.Tick
	for k := math.Ceil(lo / minor); k*minor <= hi*(1+1e-9); k++ {
		t := plot.Tick{Value: k * minor}
		if m := math.Round(t.Value / a.step); math.Abs(t.Value-m*a.step) < minor/2 {
			t.Value = m * a.step
			t.Label = u.step(t.Value, a.step)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// since writes a time after the start: "3.217 s", "2 h 05 min".
func since(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return u(int64(d/time.Hour), "h") + " " + u(int64(d%time.Hour/time.Minute), "min")
	case d >= time.Minute:
		return u(int64(d/time.Minute), "min") + " " + u(int64(d%time.Minute/time.Second), "s")
	}
	return FormatNS(float64(d))
}

func u(n int64, name string) string { return Count(uint64(n)) + "\u00a0" + name }
