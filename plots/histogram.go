// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// maxLegend is the most runs that get a line in the legend.
const maxLegend = 16

// Histogram draws how often each latency was seen: a linear latency axis, a
// logarithmic axis for the counts on which one single sample is a visible
// bar. One series is filled, several are outlines over each other. The
// highest latency is marked with its value. Outliers far away from all other
// samples get a part of the axis with a scale of its own, see [Options].
//
// Series without samples are listed and draw nothing. It returns an error
// for contradictory options and when there is no series.
func Histogram(series []Series, o Options) (*plot.Plot, error) {
	if err := o.check(series); err != nil {
		return nil, err
	}
	samples := make([]sample, len(series))
	var all, bulk span
	seen := false
	for i, s := range series {
		samples[i] = collect(s.Dist)
		if samples[i].n == 0 {
			continue
		}
		if !seen {
			all, bulk, seen = samples[i].all(), samples[i].bulk(), true
		}
		all, bulk = all.union(samples[i].all()), bulk.union(samples[i].bulk())
	}
	if !seen {
		return emptyPlot(series, o, "samples per bin"), nil
	}
	note := o.settle(max(all.hi/2, bulk.hi))
	a := newAxis(samples, all, bulk, o)
	width := o.BinWidthNS
	if width == 0 {
		width = binWidth(samples, a.main().span)
	}
	a.snap(width, o)

	p := newPlot()
	a.apply(p)
	p.X.Label.Text = fmt.Sprintf("latency (%s), bins of %s\u00a0%s", a.unit.name, a.unit.step(a.bin, a.bin), a.unit.name)
	p.Y.Label.Text = "samples per bin"
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = logTicks{}
	p.Add(backdrop{a})

	h := &header{title: o.Title, columns: legendColumns(a.unit)}
	var shapes []*shape
	var under, over, highest uint64
	for i, s := range samples {
		bins, u, v := s.bins(width, span{a.pieces[0].lo, a.pieces[len(a.pieces)-1].hi})
		under, over = under+u, over+v
		for _, b := range bins {
			highest = max(highest, b.count)
		}
		sh := newShape(a, bins, i, len(series))
		p.Add(sh)
		shapes = append(shapes, sh)
		if i < maxLegend {
			h.rows = append(h.rows, legendRow{series[i].Name, sh, legendCells(series[i], a.unit)})
		}
	}
	h.more(len(series))
	if under+over > 0 {
		h.notes = append(h.notes, fmt.Sprintf("beyond the axis: %s below, %s above", Count(under), Count(over)))
	}
	h.note(note)
	p.Y.Min, p.Y.Max = floor, yTop(highest)
	p.Add(peaks{shapes, marks(samples, a.unit), o.BudgetNS}, h)
	if o.BudgetNS > 0 {
		p.Add(budget{o.BudgetNS, o.budgetText(), false})
	}
	return p, nil
}

// yTop leaves room above the highest bin for the mark of the maximum.
func yTop(highest uint64) float64 {
	decades := math.Log10(max(float64(highest), 10) / floor)
	return floor * math.Pow(10, decades*1.14)
}

// emptyPlot says that there is nothing to see, on axes without numbers.
func emptyPlot(series []Series, o Options, yLabel string) *plot.Plot {
	p := newPlot()
	p.X.Label.Text = "latency"
	p.Y.Label.Text = yLabel
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(nil), plot.ConstantTicks(nil)
	h := &header{title: o.Title, columns: legendColumns(units[2])}
	for i, s := range series[:min(len(series), maxLegend)] {
		h.rows = append(h.rows, legendRow{s.Name, newShape(nil, nil, i, len(series)), legendCells(s, units[2])})
	}
	p.Add(notice("no samples"), h)
	return p
}

func legendColumns(u unit) []string {
	in := ", " + u.name
	return []string{"samples", "min" + in, "mean" + in, "p99" + in, "max" + in, "lost"}
}

func legendCells(s Series, u unit) []string {
	lost := "?"
	if s.Lost != nil {
		lost = Count(*s.Lost)
	}
	if s.Dist == nil || s.Dist.Count() == 0 {
		return []string{"0", "–", "–", "–", "–", lost}
	}
	d := s.Dist
	return []string{
		Count(d.Count()), u.number(float64(d.Min())), u.number(d.Mean()),
		u.number(float64(d.Quantile(0.99))), u.number(float64(d.Max())), lost,
	}
}

// marks returns the peaks, with a label on the highest one.
func marks(samples []sample, u unit) []peak {
	worst := -1
	var ps []peak
	for i, s := range samples {
		if s.n == 0 {
			continue
		}
		ps = append(ps, peak{ns: s.max, run: i})
		if worst < 0 || s.max > ps[worst].ns {
			worst = len(ps) - 1
		}
	}
	if worst >= 0 {
		ps[worst].label = "max " + u.long(float64(ps[worst].ns))
	}
	return ps
}
