// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CCDF draws which share of the samples is above a latency, both axes
// logarithmic: where a curve meets "1 in 1k" is its p99.9. Latencies of 0 and
// below count, but lie left of the axis. Errors are those of [Histogram].
func CCDF(series []Series, o Options) (*plot.Plot, error) {
	if err := o.check(series); err != nil {
		return nil, err
	}
	lo, hi, most := math.Inf(1), math.Inf(-1), uint64(0)
	samples := make([]sample, len(series))
	for i, s := range series {
		samples[i] = collect(s.Dist)
		for _, b := range samples[i].classes {
			if v := samples[i].value(b); v > 0 {
				lo, hi = min(lo, float64(v)), max(hi, float64(v))
			}
		}
		most = max(most, samples[i].n)
	}
	if most == 0 || hi < lo {
		return emptyPlot(series, o, "samples above the latency"), nil
	}
	note := o.settle(hi)
	if o.BudgetNS > 0 {
		lo, hi = min(lo, float64(o.BudgetNS)), max(hi, float64(o.BudgetNS))
	}
	if o.ranged() && o.MaxNS > 0 {
		lo, hi = float64(max(o.MinNS, 1)), float64(o.MaxNS)
	}
	p := newPlot()
	spread := math.Pow(max(hi/lo, 1.01), 0.04)
	p.X.Min, p.X.Max, p.X.Scale = lo/spread, hi*spread, plot.LogScale{}
	p.X.Label.Text = "latency"
	p.X.Tick.Marker = latencyTicks{}
	p.Y.Min, p.Y.Max, p.Y.Scale = 0.5/max(float64(most), 10), 1.3, plot.LogScale{}
	p.Y.Label.Text = "samples above the latency"
	p.Y.Tick.Marker = shareTicks{}
	p.Add(grid{})
	u := unitFor(lo, 0)
	h := &header{title: o.Title, columns: legendColumns(u)}
	for i, s := range samples {
		c := &curve{sample: s, line: lineOf(i)}
		p.Add(c)
		if i < maxLegend {
			h.rows = append(h.rows, legendRow{series[i].Name, c, legendCells(series[i], u)})
		}
	}
	h.more(len(series))
	h.note(note)
	p.Add(h)
	if o.BudgetNS > 0 {
		p.Add(budget{o.BudgetNS, o.budgetText(), false})
	}
	return p, nil
}

// A curve draws the share of samples above each latency as steps.
type curve struct {
	sample sample
	line   draw.LineStyle
}

// Plot implements plot.Plotter.
func (k *curve) Plot(c draw.Canvas, p *plot.Plot) {
	if k.sample.n == 0 {
		return
	}
	var pts []vg.Point
	add := func(x, y vg.Length) {
		// Points too near to be seen would fill the file.
		if n := len(pts); n > 1 && x-pts[n-1].X < 0.3 && pts[n-1].Y-y < 0.3 {
			return
		}
		pts = append(pts, vg.Point{X: x, Y: y})
	}
	bottom := c.Y(0)
	above := k.sample.n
	add(c.X(0), c.Y(p.Y.Norm(1)))
	for _, b := range k.sample.classes {
		y := c.Y(p.Y.Norm(float64(above) / float64(k.sample.n)))
		above -= b.Count
		v := float64(k.sample.value(b))
		if v < p.X.Min {
			pts = []vg.Point{{X: c.X(0), Y: c.Y(p.Y.Norm(max(float64(above), 0.5) / float64(k.sample.n)))}}
			continue
		}
		if v > p.X.Max {
			pts = append(pts, vg.Point{X: c.X(1), Y: y})
			break
		}
		x := c.X(p.X.Norm(v))
		add(x, y)
		if above == 0 {
			pts = append(pts, vg.Point{X: x, Y: y}, vg.Point{X: x, Y: bottom})
			break
		}
		add(x, c.Y(p.Y.Norm(float64(above)/float64(k.sample.n))))
	}
	c.StrokeLines(k.line, c.ClipLinesY(pts)...)
}

// Thumbnail implements plot.Thumbnailer.
func (k *curve) Thumbnail(c *draw.Canvas) { lineThumbnail(c, k.line) }
