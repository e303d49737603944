// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"

	"gonum.org/v1/plot"
)

// latencyTicks marks a logarithmic latency axis. Every label carries its
// unit, since such an axis may span them all.
type latencyTicks struct{}

// Ticks implements plot.Ticker.
func (latencyTicks) Ticks(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi / lo)
	if decades < 0.7 {
		return linearTicks(lo, hi)
	}
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(lo))); math.Pow10(e) <= hi; e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow10(e)
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && (decades < 10 || e%3 == 0) || decades < 2.5 && (m == 2 || m == 5) ||
				decades < 1.3 && (m == 3 || m == 7) {
				t.Label = plain(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// linearTicks serves a range within which no power of ten need lie.
func linearTicks(lo, hi float64) []plot.Tick {
	step := roundUp((hi - lo) / 6)
	u := unitFor(hi, step)
	var ticks []plot.Tick
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: u.step(k*step, step) + "\u00a0" + u.name})
	}
	return ticks
}

// plain writes a round latency without decimals.
func plain(ns float64) string {
	u := unitFor(ns*(1+1e-9), 0)
	return u.step(ns, u.ns*math.Min(1, ns/u.ns)) + "\u00a0" + u.name
}

// shareTicks marks powers of ten below 1: "all", "1 in 10", "1 in 1k".
type shareTicks struct{}

// Ticks implements plot.Ticker.
func (shareTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := logTicks{}.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].IsMinor() {
			continue
		}
		switch e := int(math.Round(math.Log10(ticks[i].Value))); {
		case e == 0:
			ticks[i].Label = "all"
		case e < 0:
			ticks[i].Label = "1 in " + powerLabel(-e)
		}
	}
	return ticks
}
