// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Most rows of a heat map.
const mostRows = 56

// Heatmap draws how often each latency was seen over time: time from left to
// right, latency upwards on a logarithmic axis, darker where there were more
// samples. One sample is a visible cell. Latencies of 0 and below are told,
// not drawn. Errors are those of [Timeline].
func Heatmap(c Course, o Options) (*plot.Plot, error) {
	if err := c.check(o); err != nil {
		return nil, err
	}
	r, note, ok := c.span(&o)
	if !ok {
		return emptyPlot([]Series{{Name: c.Name}}, o, "latency"), nil
	}
	p := newPlot()
	newTimeAxis(c.end()).apply(p, c.end())
	p.Y.Min, p.Y.Max, p.Y.Scale = r.lo, r.hi, plot.LogScale{}
	p.Y.Label.Text = "latency"
	p.Y.Tick.Marker = latencyTicks{}
	m := newCells(c, r)
	h := &header{title: o.Title, scale: &m.scale, scaleText: "samples in a cell"}
	if m.below+m.above > 0 {
		h.notes = append(h.notes, fmt.Sprintf("beyond the axis: %s below, %s above", Count(m.below), Count(m.above)))
	}
	h.note(note)
	p.Add(grid{}, m)
	inLegend(p, h, o, true)
	p.Add(h)
	return p, nil
}

// cells counts samples: a column for each slice, rows of equal height.
type cells struct {
	course       Course
	counts       [][]uint64
	rows         int
	scale        scale
	below, above uint64
}

func newCells(c Course, r span) *cells {
	m := &cells{course: c, rows: mostRows}
	// Rows narrower than a nanosecond would leave stripes.
	if n := int(math.Ceil(r.width())); n < m.rows {
		m.rows = max(n, 1)
	}
	per := float64(m.rows) / math.Log(r.hi/r.lo)
	var most uint64
	for _, s := range c.Slices {
		column := make([]uint64, m.rows)
		sm := collect(s.Dist)
		for _, b := range sm.classes {
			v := float64(sm.value(b))
			switch {
			case v < r.lo:
				m.below += b.Count
				continue
			case v > r.hi:
				m.above += b.Count
				continue
			}
			i := min(int(per*math.Log(v/r.lo)), m.rows-1)
			column[i] += b.Count
			most = max(most, column[i])
		}
		m.counts = append(m.counts, column)
	}
	m.scale = scaleTo(most)
	return m
}

// Plot implements plot.Plotter. Each colour is one path, and equal neighbours
// in a row are one rectangle: that keeps the file small.
func (m *cells) Plot(c draw.Canvas, p *plot.Plot) {
	paths := make([]vg.Path, len(m.scale.starts))
	height := c.Size().Y / vg.Length(m.rows)
	for row := range m.rows {
		y := c.Min.Y + vg.Length(row)*height
		for i := 0; i < len(m.counts); {
			n := m.counts[i][row]
			if n == 0 {
				i++
				continue
			}
			step, j := m.scale.step(n), i+1
			for j < len(m.counts) && m.counts[j][row] > 0 && m.scale.step(m.counts[j][row]) == step && m.course.Slices[j].Start == m.course.Slices[j-1].End {
				j++
			}
			x0 := c.X(p.X.Norm(float64(m.course.Slices[i].Start)))
			x1 := max(c.X(p.X.Norm(float64(m.course.Slices[j-1].End))), x0+minColumn)
			// A bit wider, or a seam shows between neighbours.
			rectangle(&paths[step], x0, y, x1+0.25, y+height+0.25)
			i = j
		}
	}
	for step, path := range paths {
		if len(path) > 0 {
			c.SetColor(m.scale.color(step))
			c.Fill(path)
		}
	}
}

func rectangle(p *vg.Path, x0, y0, x1, y1 vg.Length) {
	p.Move(vg.Point{X: x0, Y: y0})
	p.Line(vg.Point{X: x1, Y: y0})
	p.Line(vg.Point{X: x1, Y: y1})
	p.Line(vg.Point{X: x0, Y: y1})
	p.Close()
}
