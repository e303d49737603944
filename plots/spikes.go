// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"siglat/analysis/recording"
)

// spikes marks the worst samples at their time, the highest with its value.
type spikes struct{ worst []recording.Sample }

// Plot implements plot.Plotter.
func (k spikes) Plot(c draw.Canvas, p *plot.Plot) {
	for i, w := range k.worst {
		at := vg.Point{X: c.X(p.X.Norm(float64(w.ReceivedNS))), Y: c.Y(p.Y.Norm(max(float64(w.LatencyNS), p.Y.Min/2)))}
		if !c.Contains(at) {
			continue
		}
		triangle(&c, draw.LineStyle{Color: Palette[1]}, at.X, at.Y+1)
		if i > 0 {
			continue
		}
		label := "max " + FormatNS(float64(w.LatencyNS)) + " at " + since(time.Duration(w.ReceivedNS))
		sty := boldStyle(8.5, ColorInk)
		width := sty.Width(label)
		x, y := at.X+6, at.Y+2
		if x+width > c.Max.X-2 {
			x = at.X - 6 - width
		}
		x = max(x, c.Min.X+2)
		y = min(y, c.Max.Y-9)
		underlaid(&c, sty, x, y, label)
	}
}
