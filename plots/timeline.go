// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Timeline draws the maximum and percentiles of each slice of a run over
// time, latencies on a logarithmic axis, with the worst samples marked where
// they came. Percentiles are drawn where the slices hold enough samples for
// them. Latencies of 0 and below lie under the axis. It returns an error
// for contradictory options and when there are no slices.
func Timeline(c Course, o Options) (*plot.Plot, error) {
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
	p.Add(grid{})

	un := unitFor(r.lo, 0)
	h := &header{title: o.Title, columns: []string{"lowest, " + un.name, "highest, " + un.name}}
	for i, q := range c.quantiles() {
		t := &track{course: c, quantile: q.of, line: draw.LineStyle{Color: Palette[q.run], Width: vg.Points(q.width), Dashes: dashes[i%len(dashes)]}}
		p.Add(t)
		lo, hi := t.ends()
		h.rows = append(h.rows, legendRow{q.name, t, []string{un.number(float64(lo)), un.number(float64(hi))}})
	}
	if len(c.Worst) > 0 {
		p.Add(spikes{c.Worst})
	}
	h.notes = append(h.notes, c.note())
	h.note(note)
	inLegend(p, h, o, true)
	p.Add(h)
	return p, nil
}

// note says what one step of the lines stands for.
func (c Course) note() string {
	n := c.Slices[0].Dist.Count()
	text := fmt.Sprintf("%d intervals of %s, %s samples in the first", len(c.Slices), FormatNS(float64(c.Slices[0].End-c.Slices[0].Start)), Count(n))
	if len(c.Slices) == 1 {
		text = fmt.Sprintf("1 interval of %s, %s samples", FormatNS(float64(c.Slices[0].End-c.Slices[0].Start)), Count(n))
	}
	if len(c.Worst) > 0 {
		text += fmt.Sprintf("; triangles: the %d worst samples", len(c.Worst))
		if len(c.Worst) == 1 {
			text = text[:len(text)-len("the 1 worst samples")] + "the worst sample"
		}
	}
	return text
}

// A trackedQuantile is a line of the time line.
type trackedQuantile struct {
	name  string
	of    float64 // 1 for the maximum
	run   int     // place in the palette
	width float64
	least uint64 // samples of a slice from which the figure is not the maximum
}

// quantiles returns the lines, highest first, that half of the slices have
// samples enough for.
func (c Course) quantiles() []trackedQuantile {
	var counts []uint64
	for _, s := range c.Slices {
		counts = append(counts, s.Dist.Count())
	}
	slices.Sort(counts)
	var out []trackedQuantile
	for _, q := range []trackedQuantile{
		{"maximum", 1, 6, 1.2, 0},
		{"p99.9", 0.999, 3, 1, 1000},
		{"p99", 0.99, 4, 1.1, 100},
		{"median", 0.5, 0, 1.4, 2},
		{"minimum", 0, 2, 0.9, 2},
	} {
		if counts[len(counts)/2] >= q.least {
			out = append(out, q)
		}
	}
	return out
}

// A track is a quantile of each slice, as steps; where nothing was recorded
// it has a gap.
type track struct {
	course   Course
	quantile float64
	line     draw.LineStyle
}

func (t *track) ends() (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, s := range t.course.Slices {
		v := s.Dist.Quantile(t.quantile)
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// Plot implements plot.Plotter.
func (t *track) Plot(c draw.Canvas, p *plot.Plot) {
	var pts []vg.Point
	stroke := func() {
		c.StrokeLines(t.line, c.ClipLinesXY(pts)...)
		pts = nil
	}
	last := t.course.Slices[0].Start
	for _, s := range t.course.Slices {
		if s.Start > last+(s.End-s.Start)/2 {
			stroke()
		}
		last = s.End
		y := c.Y(p.Y.Norm(max(float64(s.Dist.Quantile(t.quantile)), p.Y.Min/2)))
		pts = append(pts, vg.Point{X: c.X(p.X.Norm(float64(s.Start))), Y: y}, vg.Point{X: c.X(p.X.Norm(float64(s.End))), Y: y})
	}
	stroke()
}

// Thumbnail implements plot.Thumbnailer.
func (t *track) Thumbnail(c *draw.Canvas) { lineThumbnail(c, t.line) }
