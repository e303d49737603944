// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// backdrop draws the grid and shades compressed pieces of the axis.
type backdrop struct{ axis *axis }

// Plot implements plot.Plotter.
func (b backdrop) Plot(c draw.Canvas, p *plot.Plot) {
	for _, s := range b.axis.pieces {
		if s.tail {
			c.SetColor(ColorShade)
			c.Fill(vg.Rectangle{
				Min: vg.Point{X: c.X(s.from), Y: c.Min.Y},
				Max: vg.Point{X: c.X(s.to), Y: c.Max.Y},
			}.Path())
		}
	}
	grid{}.Plot(c, p)
	b.borders(&c)
}

// A grid draws a line at every label.
type grid struct{}

// Plot implements plot.Plotter.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	sty := draw.LineStyle{Color: ColorGrid, Width: vg.Points(0.6)}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			x := c.X(p.X.Norm(t.Value))
			c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			y := c.Y(p.Y.Norm(t.Value))
			c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
		}
	}
}

// borders marks where the scale changes.
func (b backdrop) borders(c *draw.Canvas) {
	edge := draw.LineStyle{Color: ColorMuted, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(2), vg.Points(2)}}
	sty := textStyle(7.5, ColorMuted)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
	for i, s := range b.axis.pieces {
		if i > 0 {
			x := c.X(s.from)
			c.StrokeLine2(edge, x, c.Min.Y, x, c.Max.Y)
		}
		if s.tail {
			c.FillText(sty, vg.Point{X: c.X((s.from + s.to) / 2), Y: c.Max.Y - 3}, "outliers: compressed scale")
		}
	}
}

// A peak is the highest latency of a run with its label; an empty label
// leaves the mark alone.
type peak struct {
	ns    int64
	run   int // index of the run's shape
	label string
}

// peaks marks the highest latencies at their places.
type peaks struct {
	shapes []*shape
	marks  []peak
	budget int64 // line that a label must not cross, 0 for none
}

// Plot implements plot.Plotter.
func (k peaks) Plot(c draw.Canvas, p *plot.Plot) {
	var all []column
	own := make([][]column, len(k.shapes))
	for i, s := range k.shapes {
		own[i] = s.axis.columns(s.bins, &c)
		all = append(all, own[i]...)
	}
	for _, m := range k.marks {
		x := c.X(p.X.Norm(float64(m.ns)))
		if !c.ContainsX(x) {
			continue
		}
		y := top(own[m.run], x-1, x+1, p, &c) + 1.5
		triangle(&c, k.shapes[m.run].line, x, y)
		if m.label != "" {
			k.text(&c, p, all, m, x, y+7.5)
		}
	}
}

// top returns the height of the highest column between two places.
func top(cols []column, x0, x1 vg.Length, p *plot.Plot, c *draw.Canvas) vg.Length {
	y := c.Y(p.Y.Norm(floor))
	for _, col := range cols {
		if col.x1 >= x0 && col.x0 <= x1 {
			y = max(y, c.Y(p.Y.Norm(max(float64(col.count), floor))))
		}
	}
	return y
}

func triangle(c *draw.Canvas, sty draw.LineStyle, x, y vg.Length) {
	c.SetColor(sty.Color)
	var path vg.Path
	path.Move(vg.Point{X: x, Y: y})
	path.Line(vg.Point{X: x - 3, Y: y + 5.5})
	path.Line(vg.Point{X: x + 3, Y: y + 5.5})
	path.Close()
	c.Fill(path)
}

// text writes the label above everything that lies below it, to the right of
// the mark if there is room, with a line down to the mark.
func (k peaks) text(c *draw.Canvas, p *plot.Plot, cols []column, m peak, x, y vg.Length) {
	sty := boldStyle(8.5, ColorInk)
	w := sty.Width(m.label)
	left := min(x-2, c.Max.X-w-2)
	if line := c.X(p.X.Norm(float64(k.budget))); k.budget > 0 && line >= x && line < left+w+4 {
		left = min(left, line-w-4)
	}
	left = max(left, c.Min.X+2)
	base := max(top(cols, left-2, left+w+2, p, c)+4, y+2)
	for _, o := range k.marks {
		if at := c.X(p.X.Norm(float64(o.ns))); o != m && at > left-4 && at < left+w+4 {
			base = max(base, top(k.shapes[o.run].axis.columns(k.shapes[o.run].bins, c), at-1, at+1, p, c)+10)
		}
	}
	if highest := c.Max.Y - 22; base > highest {
		base = highest
		c.SetColor(ColorPaper)
		c.Fill(vg.Rectangle{Min: vg.Point{X: left - 1.5, Y: base - 1.5}, Max: vg.Point{X: left + w + 1.5, Y: base + 8}}.Path())
	}
	if base > y+4 {
		c.StrokeLine2(draw.LineStyle{Color: ColorMuted, Width: vg.Points(0.6)}, x, y-1, x, base-1)
	}
	c.FillText(sty, vg.Point{X: left, Y: base}, m.label)
}

// notice writes one sentence into an empty plot.
type notice string

// Plot implements plot.Plotter.
func (n notice) Plot(c draw.Canvas, _ *plot.Plot) {
	sty := textStyle(12, ColorMuted)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	c.FillText(sty, c.Center(), string(n))
}
