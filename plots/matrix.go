// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Matrix draws times in ns, one for each pair of a row and a column, such as
// context switches between sizes of working sets or between CPUs: each cell
// holds its figure, on a darker ground the higher it is. NaN leaves a cell
// empty. RowText and ColumnText of the options name what the rows and columns
// are. It returns an error when ns has not len(rows) rows of len(cols).
func Matrix(rows, cols []string, ns [][]float64, o Options) (*plot.Plot, error) {
	if len(rows) == 0 || len(cols) == 0 || len(ns) != len(rows) {
		return nil, fmt.Errorf("plot: matrix of %d rows for %d names and %d columns", len(ns), len(rows), len(cols))
	}
	m := &matrix{ns: ns, span: span{math.Inf(1), math.Inf(-1)}}
	for i, row := range ns {
		if len(row) != len(cols) {
			return nil, fmt.Errorf("plot: row %s of the matrix has %d columns, want %d", rows[i], len(row), len(cols))
		}
		for _, v := range row {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				m.span = m.union(span{v, v})
			}
		}
	}
	p := newPlot()
	newNominal(rows, 130).apply(&p.Y, true)
	newNominal(cols, 480/vg.Length(len(cols))).apply(&p.X, false)
	p.X.Label.Text, p.Y.Label.Text = o.ColumnText, o.RowText
	h := &header{title: o.Title}
	m.unit = unitFor(max(math.Abs(m.lo), 1), 0)
	if m.hi >= m.lo {
		h.note(fmt.Sprintf("times in %s, from %s to %s, darker is longer", m.unit.name, m.unit.number(m.lo), m.unit.number(m.hi)))
	} else {
		h.note("no times")
	}
	p.Add(m, h)
	return p, nil
}

type matrix struct {
	ns [][]float64
	span
	unit unit
}

// step returns the colour of a value: steps of equal length, or of equal
// ratio where the highest value is far above the lowest.
func (m *matrix) step(v float64) int {
	at := 0.0
	switch {
	case m.lo > 0 && m.hi > 4*m.lo:
		at = math.Log(v/m.lo) / math.Log(m.hi/m.lo)
	case m.width() > 0:
		at = (v - m.lo) / m.width()
	}
	return min(int(at*float64(len(Ramp))), len(Ramp)-1)
}

// Plot implements plot.Plotter.
func (m *matrix) Plot(c draw.Canvas, p *plot.Plot) {
	w, h := c.Size().X/vg.Length(len(m.ns[0])), rowHeight(&c, p)
	size := float64(min(9, w/5, h*0.7))
	for i, row := range m.ns {
		for k, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			x, y := c.X(p.X.Norm(float64(k))), c.Y(p.Y.Norm(float64(i)))
			c.SetColor(Ramp[m.step(v)])
			c.Fill(vg.Rectangle{Min: vg.Point{X: x - w/2 + 0.5, Y: y - h/2 + 0.5}, Max: vg.Point{X: x + w/2 - 0.5, Y: y + h/2 - 0.5}}.Path())
			if size < 4 {
				continue
			}
			sty := textStyle(size, ColorInk)
			if m.step(v) >= len(Ramp)/2-1 {
				sty.Color = ColorPaper
			}
			sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
			c.FillText(sty, vg.Point{X: x, Y: y}, m.unit.number(v))
		}
	}
}
