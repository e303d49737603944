// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// floor is the lower end of a count axis: a bin with one sample is a bar.
const floor = 0.5

// minColumn is the least width of a column, about a pixel and a third of a
// screen, so that a lone sample cannot vanish.
const minColumn = vg.Length(1)

// A column is a bar on the canvas.
type column struct {
	x0, x1 vg.Length
	count  uint64
}

// columns places bins on the canvas. Where bins are narrower than minColumn,
// a column shows the highest of the bins that fall into it, so its height
// keeps its meaning.
func (a *axis) columns(bins []bin, c *draw.Canvas) []column {
	var cols []column
	for i, p := range a.pieces {
		x := func(v float64) vg.Length { return c.X(p.from + (v-p.lo)/p.width()*(p.to-p.from)) }
		left, right := x(p.lo), x(p.hi)
		narrow := vg.Length(a.bin/p.width()*(p.to-p.from))*c.Size().X < minColumn
		for ; len(bins) > 0; bins = bins[1:] {
			b := bins[0]
			lo := float64(b.index) * a.bin
			if lo >= p.hi && i < len(a.pieces)-1 {
				break
			}
			col := column{max(x(lo), left), min(x(lo+a.bin), right), b.count}
			if narrow {
				cells := vg.Length(math.Floor(float64((right - left) / minColumn)))
				cell := vg.Length(math.Floor(float64((x(lo+a.bin/2) - left) / minColumn)))
				cell = min(max(cell, 0), cells-1)
				col.x0, col.x1 = left+cell*minColumn, left+(cell+1)*minColumn
				if n := len(cols); n > 0 && cols[n-1].x0 == col.x0 {
					cols[n-1].count = max(cols[n-1].count, b.count)
					continue
				}
			}
			cols = append(cols, col)
		}
	}
	return cols
}

// outline returns the step lines around columns that touch, each from the
// floor and back to it.
func outline(cols []column, p *plot.Plot, c *draw.Canvas) [][]vg.Point {
	var lines [][]vg.Point
	var line []vg.Point
	base := c.Y(p.Y.Norm(floor))
	for i, col := range cols {
		y := c.Y(p.Y.Norm(math.Max(float64(col.count), floor)))
		if i == 0 || col.x0 > cols[i-1].x1+0.01 {
			line = []vg.Point{{X: col.x0, Y: base}}
		}
		if n := len(line); n > 1 && line[n-1].Y == y {
			line[n-1].X = col.x1
		} else {
			line = append(line, vg.Point{X: col.x0, Y: y}, vg.Point{X: col.x1, Y: y})
		}
		if i == len(cols)-1 || cols[i+1].x0 > col.x1+0.01 {
			lines = append(lines, append(line, vg.Point{X: col.x1, Y: base}))
		}
	}
	return lines
}

// A shape draws one run: filled when it is alone, else as an outline with a
// tint that lets the others through.
type shape struct {
	axis   *axis
	bins   []bin
	filled bool
	line   draw.LineStyle
	color  color.NRGBA
}

// tint is the opacity of the area below an outline, of 255.
const tint = 22

func newShape(a *axis, bins []bin, run, runs int) *shape {
	return &shape{axis: a, bins: bins, filled: runs == 1, line: lineOf(run), color: Palette[run%len(Palette)]}
}

// Plot implements plot.Plotter.
func (s *shape) Plot(c draw.Canvas, p *plot.Plot) {
	lines := outline(s.axis.columns(s.bins, &c), p, &c)
	if len(lines) == 0 {
		return
	}
	var path vg.Path
	for _, l := range lines {
		path.Move(l[0])
		for _, pt := range l[1:] {
			path.Line(pt)
		}
	}
	fill := s.color
	if !s.filled {
		fill.A = tint
	}
	c.SetColor(fill)
	c.Fill(path)
	if !s.filled {
		c.SetLineStyle(s.line)
		c.Stroke(path)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (s *shape) Thumbnail(c *draw.Canvas) {
	if s.filled {
		h := c.Size().Y / 5
		c.SetColor(s.line.Color)
		c.Fill(vg.Rectangle{Min: c.Min.Add(vg.Point{Y: h}), Max: c.Max.Add(vg.Point{Y: -h})}.Path())
		return
	}
	lineThumbnail(c, s.line)
}

func lineThumbnail(c *draw.Canvas, sty draw.LineStyle) {
	sty.Width *= 1.5
	y := c.Center().Y
	c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
}
