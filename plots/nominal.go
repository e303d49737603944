// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mostNames is how many names an axis of the default height has room for.
const mostNames = 32

// A nominal axis has a name at each whole number from 0 up, the first on top
// where it is upright.
type nominal struct {
	names []string
	every int // only each such name is written
}

// newNominal shortens the names to the width, and leaves out what there is no
// room for.
func newNominal(names []string, width vg.Length) nominal {
	n := nominal{every: 1 + (len(names)-1)/mostNames}
	sty := textStyle(9, ColorInk)
	for _, s := range names {
		n.names = append(n.names, fit(s, sty, width))
	}
	return n
}

// apply makes n an axis, of any axis of a plot; upright ones run downwards.
func (n nominal) apply(a *plot.Axis, upright bool) {
	a.Min, a.Max = -0.5, float64(len(n.names))-0.5
	if upright {
		a.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	}
	a.Tick.Marker = n
	a.Tick.Label.YAlign = draw.YCenter
	a.Tick.LineStyle.Width, a.Tick.Length = 0, 3
	if !upright {
		a.Tick.Label.YAlign = draw.YTop
	}
}

// Ticks implements plot.Ticker.
func (n nominal) Ticks(_, _ float64) []plot.Tick {
	var ticks []plot.Tick
	for i, s := range n.names {
		if i%n.every == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: s})
		}
	}
	return ticks
}
