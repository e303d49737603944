// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot implements plot.Plotter: from the back to the front, each ridge
// covering what stands behind it.
func (g *ridges) Plot(c draw.Canvas, p *plot.Plot) {
	g.ground(&c, p)
	n := len(g.series)
	line := draw.LineStyle{Color: Palette[0], Width: vg.Length(min(1, max(0.3, 24/float64(n))))}
	for i := range g.series {
		if i == g.worst {
			g.ridge(&c, p, i, draw.LineStyle{Color: Palette[1], Width: 1.2}, ColorPaper)
		} else {
			g.ridge(&c, p, i, line, Ramp[0])
		}
	}
	g.mark(&c, p)
	g.dates(&c)
}

// ground draws the plane that the ridges stand on.
func (g *ridges) ground(c *draw.Canvas, p *plot.Plot) {
	back := vg.Point{X: c.Size().X * slantWidth, Y: c.Size().Y * slantHeight}
	left, right := c.Min.X, c.X(ridgeWidth)
	var path vg.Path
	for i, pt := range []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right + back.X, Y: c.Min.Y + back.Y}, {X: left + back.X, Y: c.Min.Y + back.Y}} {
		if i == 0 {
			path.Move(pt)
		} else {
			path.Line(pt)
		}
	}
	path.Close()
	c.SetColor(ColorShade)
	c.Fill(path)
	ink := draw.LineStyle{Color: ColorInk, Width: vg.Points(0.7)}
	c.StrokeLine2(ink, left, c.Min.Y, right, c.Min.Y)
	c.StrokeLine2(ink, left, c.Min.Y, left, c.Y(ridgeHeight))
	sty := draw.LineStyle{Color: ColorGrid, Width: vg.Points(0.6)}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		x := c.X(p.X.Norm(t.Value))
		if !t.IsMinor() && x >= left && x <= right+0.1 {
			c.StrokeLine2(sty, x, c.Min.Y, x+back.X, c.Min.Y+back.Y)
		}
	}
}

// mark sets a triangle on the highest latency of all.
func (g *ridges) mark(c *draw.Canvas, p *plot.Plot) {
	high := g.samples[g.worst].max
	k := g.bin(high)
	if k < 0 || k >= g.bins {
		return
	}
	counts := g.counts[g.worst]
	most := slices.Max(counts[max(k-1, 0):min(k+2, len(counts))]) // beside it, too
	at := g.at(g.worst, c.Size())
	x := c.Min.X + at.X + (vg.Length(k)+0.5)*g.step(c)
	triangle(c, draw.LineStyle{Color: Palette[1]}, x, c.Y(p.Y.Norm(float64(most)))+at.Y+2)
}

// step is the width of a bin.
func (g *ridges) step(c *draw.Canvas) vg.Length { return c.Size().X * ridgeWidth / vg.Length(g.bins) }

// ridge draws one run: lines between the middles of its occupied bins, down
// to the ground beside them, so that one sample is a peak.
func (g *ridges) ridge(c *draw.Canvas, p *plot.Plot, i int, sty draw.LineStyle, fill color.Color) {
	at := g.at(i, c.Size())
	width, base := g.step(c), c.Min.Y+at.Y
	var path vg.Path
	for k, n := range g.counts[i] {
		if n == 0 {
			continue
		}
		x := c.Min.X + at.X + vg.Length(k)*width
		if k == 0 || g.counts[i][k-1] == 0 {
			path.Move(vg.Point{X: x, Y: base})
		}
		path.Line(vg.Point{X: x + width/2, Y: c.Y(p.Y.Norm(float64(n))) + at.Y})
		if k == g.bins-1 || g.counts[i][k+1] == 0 {
			path.Line(vg.Point{X: x + width, Y: base})
		}
	}
	if len(path) == 0 {
		return
	}
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(sty)
	c.Stroke(path)
}

// dates writes the days of some runs, from the newest to the oldest, along
// the right edge of the ground.
func (g *ridges) dates(c *draw.Canvas) {
	n := len(g.series)
	shown := min(n, 7)
	sty := textStyle(8, ColorMuted)
	tick := draw.LineStyle{Color: ColorMuted, Width: vg.Points(0.6)}
	for k := range shown {
		i := n - 1
		if shown > 1 {
			i = (n - 1) * k / (shown - 1)
		}
		at := g.at(i, c.Size())
		x, y := c.X(ridgeWidth)+at.X, c.Min.Y+at.Y
		c.StrokeLine2(tick, x, y, x+4, y)
		text := g.series[i].Name
		if g.dated {
			text = g.series[i].Start.UTC().Format("2006-01-02")
		}
		c.FillText(sty, vg.Point{X: x + 6, Y: max(y-2, c.Min.Y+2)}, fit(text, sty, c.Max.X-x-6))
	}
}
