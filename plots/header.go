// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A header stands above the data, so that it never covers any: the title,
// then a small table with a line for each run, which is the legend too.
type header struct {
	title   string
	columns []string // headings after the name
	rows    []legendRow
	notes   []string

	scale     *scale // of colours, nil for none
	scaleText string
}

type legendRow struct {
	name  string
	thumb plot.Thumbnailer
	cells []string
}

const (
	titleSize = 12
	rowSize   = 8.5
	leading   = 1.35
	swatch    = vg.Length(22)
	gutter    = vg.Length(12)
)

func (h *header) height() vg.Length {
	n := len(h.rows) + len(h.notes)
	if len(h.rows) > 0 && len(h.columns) > 0 {
		n++
	}
	v := vg.Length(n)*rowSize*leading + 6
	if h.title != "" {
		v += titleSize * leading
	}
	if h.scale != nil {
		v += stripHeight
	}
	return v
}

// more says how many of n runs have no line.
func (h *header) more(n int) {
	if n > maxLegend {
		h.notes = append(h.notes, fmt.Sprintf("and %d more", n-maxLegend))
	}
}

// note adds a line of text; an empty one is none.
func (h *header) note(text string) {
	if text != "" {
		h.notes = append(h.notes, text)
	}
}

// GlyphBoxes implements plot.GlyphBoxer: it makes room above the data.
func (h *header) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 0, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: h.height()}}}}
}

// Plot implements plot.Plotter.
func (h *header) Plot(c draw.Canvas, _ *plot.Plot) {
	y := c.Max.Y + h.height()
	if h.title != "" {
		sty := boldStyle(titleSize, ColorInk)
		y -= titleSize
		c.FillText(sty, vg.Point{X: c.Min.X, Y: y}, fit(h.title, sty, c.Size().X))
		y -= titleSize * (leading - 1)
	}
	if h.scale != nil {
		y -= 2
		h.scale.strip(&c, h.scaleText, c.Min.X, y)
		y -= stripHeight - 2
	}
	y = h.table(&c, y)
	muted := textStyle(rowSize, ColorMuted)
	for _, n := range h.notes {
		y -= rowSize * leading
		c.FillText(muted, vg.Point{X: c.Min.X, Y: y}, fit(n, muted, c.Size().X))
	}
}

// table draws the rows below y and returns the lowest y used. The figures
// are set flush right next to the names, which give way when space is short.
func (h *header) table(c *draw.Canvas, y vg.Length) vg.Length {
	if len(h.rows) == 0 {
		return y
	}
	ink, muted := textStyle(rowSize, ColorInk), textStyle(rowSize, ColorMuted)
	widths := make([]vg.Length, len(h.columns))
	var figures, names vg.Length
	for i, t := range h.columns {
		widths[i] = muted.Width(t)
		for _, r := range h.rows {
			widths[i] = max(widths[i], ink.Width(r.cells[i]))
		}
		figures += widths[i] + gutter
	}
	for _, r := range h.rows {
		names = max(names, ink.Width(r.name))
	}
	left := c.Min.X + swatch + 5
	names = max(min(names, c.Max.X-left-figures), 30)
	if len(h.columns) > 0 {
		y -= rowSize * leading
		drawCells(c, muted, left+names, y, widths, h.columns)
	}
	for _, r := range h.rows {
		y -= rowSize * leading
		icon := &draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: y},
			Max: vg.Point{X: c.Min.X + swatch, Y: y + rowSize*0.75},
		}}
		r.thumb.Thumbnail(icon)
		c.FillText(ink, vg.Point{X: left, Y: y}, fit(r.name, ink, names))
		drawCells(c, ink, left+names, y, widths, r.cells)
	}
	return y
}

func drawCells(c *draw.Canvas, sty text.Style, x, y vg.Length, widths []vg.Length, cells []string) {
	sty.XAlign = draw.XRight
	for i, t := range cells {
		x += gutter + widths[i]
		c.FillText(sty, vg.Point{X: x, Y: y}, t)
	}
}
