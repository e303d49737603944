// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// budget draws the reference line of a deadline: upright on a latency axis
// from left to right, level on one that points upwards. With an empty label
// it is the legend that tells what it is.
type budget struct {
	ns    int64
	label string
	level bool
}

func (b budget) line() draw.LineStyle {
	return draw.LineStyle{Color: Palette[1], Width: vg.Points(1.2), Dashes: []vg.Length{vg.Points(6), vg.Points(3)}}
}

// Plot implements plot.Plotter.
func (b budget) Plot(c draw.Canvas, p *plot.Plot) {
	if b.level {
		if y := c.Y(p.Y.Norm(float64(b.ns))); c.ContainsY(y) {
			c.StrokeLine2(b.line(), c.Min.X, y, c.Max.X, y)
		}
		return
	}
	x := c.X(p.X.Norm(float64(b.ns)))
	if !c.ContainsX(x) {
		return
	}
	c.StrokeLine2(b.line(), x, c.Min.Y, x, c.Max.Y)
	if b.label == "" {
		return
	}
	sty := boldStyle(8, Palette[1])
	w := sty.Width(b.label)
	left := x + 4
	if left+w+2 > c.Max.X {
		left = x - 4 - w
	}
	underlaid(&c, sty, left, c.Max.Y-22, b.label)
}

// Thumbnail implements plot.Thumbnailer.
func (b budget) Thumbnail(c *draw.Canvas) { lineThumbnail(c, b.line()) }

// inLegend draws the reference line of a picture in which the label would
// cover samples, and adds it to the legend.
func inLegend(p *plot.Plot, h *header, o Options, level bool) {
	if o.BudgetNS > 0 {
		b := budget{o.BudgetNS, "", level}
		p.Add(b)
		h.rows = append(h.rows, legendRow{o.budgetText(), b, make([]string, len(h.columns))})
	}
}

// underlaid writes a text on a ground that keeps it apart from what it
// covers.
func underlaid(c *draw.Canvas, sty text.Style, x, y vg.Length, s string) {
	c.SetColor(ColorPaper)
	c.Fill(vg.Rectangle{Min: vg.Point{X: x - 1.5, Y: y - 2}, Max: vg.Point{X: x + sty.Width(s) + 1.5, Y: y + 8}}.Path())
	c.FillText(sty, vg.Point{X: x, Y: y}, s)
}
