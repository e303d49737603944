// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Box sets runs under each other, on a logarithmic latency axis: a box from
// the 25th to the 75th percentile with the median in it, whiskers from the
// minimum to the 99th percentile, a stroke at the 99.9th and a triangle at
// the maximum. Behind it is the run's half-logarithmic histogram, mirrored,
// on which one sample is seen. Latencies of 0 and below lie left of the axis.
// Errors are those of [Histogram].
func Box(series []Series, o Options) (*plot.Plot, error) {
	if err := o.check(series); err != nil {
		return nil, err
	}
	samples := collectAll(series)
	all, ok := positive(samples)
	if !ok {
		return emptyPlot(series, o, ""), nil
	}
	note := o.settle(all.hi)
	if o.BudgetNS > 0 {
		all = all.union(span{float64(o.BudgetNS), float64(o.BudgetNS)})
	}
	r := widened(all.lo, all.hi)
	if o.ranged() && o.MaxNS > 0 {
		r = span{float64(max(o.MinNS, 1)), float64(o.MaxNS)}
	}
	p := newPlot()
	p.X.Min, p.X.Max, p.X.Scale = r.lo, r.hi, plot.LogScale{}
	p.X.Label.Text = "latency"
	p.X.Tick.Marker = latencyTicks{}
	var names []string
	for _, s := range series {
		names = append(names, s.Name)
	}
	newNominal(names, 130).apply(&p.Y, true)
	p.Add(upright{})
	for i, s := range samples {
		p.Add(&violin{s, i}, &box{s, i})
	}
	h := &header{title: o.Title, notes: []string{
		"box: p25 to p75 with the median; whiskers: minimum to p99; stroke: p99.9; triangle: maximum",
		"shaded: how often each latency was seen, logarithmic",
	}}
	h.note(note)
	inLegend(p, h, o, false)
	p.Add(h)
	return p, nil
}

func collectAll(series []Series) []sample {
	samples := make([]sample, len(series))
	for i, s := range series {
		samples[i] = collect(s.Dist)
	}
	return samples
}

// positive returns the span of all latencies above 0.
func positive(samples []sample) (r span, ok bool) {
	r = span{math.Inf(1), math.Inf(-1)}
	for _, s := range samples {
		for _, b := range s.classes {
			if v := float64(s.value(b)); v > 0 {
				r = r.union(span{v, v})
			}
		}
	}
	return r, r.hi > 0
}

// A box is the figures of a run in its row.
type box struct {
	sample sample
	row    int
}

// Plot implements plot.Plotter.
func (b *box) Plot(c draw.Canvas, p *plot.Plot) {
	if b.sample.n == 0 {
		return
	}
	x := func(q float64) vg.Length {
		v := b.sample.rank(max(1, uint64(math.Ceil(q*float64(b.sample.n)))))
		return min(max(c.X(p.X.Norm(max(float64(v), p.X.Min/2))), c.Min.X), c.Max.X)
	}
	y := c.Y(p.Y.Norm(float64(b.row)))
	half := min(rowHeight(&c, p)*0.22, 9)
	color := Palette[b.row%len(Palette)]
	line := draw.LineStyle{Color: color, Width: vg.Points(1.1)}
	c.StrokeLine2(line, x(0), y, x(0.25), y)
	c.StrokeLine2(line, x(0.75), y, x(0.99), y)
	for _, q := range []float64{0, 0.99} {
		c.StrokeLine2(line, x(q), y-half/2, x(q), y+half/2)
	}
	c.StrokeLine2(line, x(0.999), y-half*0.8, x(0.999), y+half*0.8)
	var path vg.Path
	rectangle(&path, x(0.25), y-half, max(x(0.75), x(0.25)+minColumn), y+half)
	c.SetColor(ColorPaper)
	c.Fill(path)
	c.SetLineStyle(line)
	c.Stroke(path)
	c.StrokeLine2(draw.LineStyle{Color: ColorInk, Width: vg.Points(1.8)}, x(0.5), y-half, x(0.5), y+half)
	if v := float64(b.sample.max); v >= p.X.Min && v <= p.X.Max {
		triangle(&c, line, x(1), y+1)
	}
}

func rowHeight(c *draw.Canvas, p *plot.Plot) vg.Length {
	return c.Size().Y / vg.Length(p.Y.Max-p.Y.Min)
}

// A violin is the mirrored histogram of a run in its row.
type violin struct {
	sample sample
	row    int
}

// violinBins are of equal width on the axis, about three points each.
const violinBins = 140

// Plot implements plot.Plotter.
func (v *violin) Plot(c draw.Canvas, p *plot.Plot) {
	counts := make([]uint64, violinBins)
	var most uint64
	for _, b := range v.sample.classes {
		at := p.X.Norm(max(float64(v.sample.value(b)), p.X.Min/2))
		if i := int(math.Floor(at * violinBins)); i >= 0 && i < violinBins {
			counts[i] += b.Count
			most = max(most, counts[i])
		}
	}
	full := float64(rowHeight(&c, p)) * 0.42
	y := c.Y(p.Y.Norm(float64(v.row)))
	width := c.Size().X / violinBins
	var path vg.Path
	for i, n := range counts {
		if n == 0 {
			continue
		}
		half := vg.Length(full * math.Log(2*float64(n)) / math.Log(2*float64(most)))
		rectangle(&path, c.Min.X+vg.Length(i)*width, y-half, c.Min.X+vg.Length(i+1)*width+0.2, y+half)
	}
	if len(path) == 0 {
		return
	}
	color := Palette[v.row%len(Palette)]
	color.A = 3 * tint
	c.SetColor(color)
	c.Fill(path)
}

// upright draws grid lines for the latency alone.
type upright struct{}

// Plot implements plot.Plotter.
func (upright) Plot(c draw.Canvas, p *plot.Plot) {
	sty := draw.LineStyle{Color: ColorGrid, Width: vg.Points(0.6)}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			x := c.X(p.X.Norm(t.Value))
			c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
		}
	}
}
