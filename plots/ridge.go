// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// The ridge plot is a slanted view: shares of the picture's width and height
// that a ridge takes and that the way from front to back takes.
const (
	ridgeWidth  = 0.74
	slantWidth  = 0.13
	ridgeHeight = 0.40
	slantHeight = 0.56

	mostRidgeBins = 110
)

// Ridge draws the histograms of many runs behind each other, as a landscape
// over weeks: the newest run in front, latency to the right, logarithmic
// counts upwards. The run with the highest latency is named and drawn in a
// colour of its own. Runs are ordered by their start where all have one, else
// they stay as given, the last in front. The latency axis is linear, or
// logarithmic where single outliers would squeeze the rest; values of 0 and
// below then do not show. Errors are those of [Histogram].
func Ridge(series []Series, o Options) (*plot.Plot, error) {
	if err := o.check(series); err != nil {
		return nil, err
	}
	list := slices.Clone(series)
	dated := !slices.ContainsFunc(list, func(s Series) bool { return s.Start.IsZero() })
	if dated {
		slices.SortStableFunc(list, func(a, b Series) int { return a.Start.Compare(b.Start) })
	}
	g := &ridges{series: list, samples: collectAll(list), dated: dated, worst: -1}
	if !g.lay(&o) {
		return emptyPlot(series, o, "samples per bin"), nil
	}
	p := newPlot()
	p.X.Min, p.X.Max = g.lo, g.hi
	p.X.Scale = share{ridgeWidth, p.X.Scale}
	p.X.Tick.Marker = latencyTicks{}
	p.X.Label.Text = "latency"
	if g.log {
		p.X.Scale = share{ridgeWidth, plot.LogScale{}}
	} else {
		a := &axis{pieces: []piece{{span: g.span, to: 1}}}
		a.unit = unitFor(g.hi, 0)
		p.X.Tick.Marker = a
		p.X.Label.Text = fmt.Sprintf("latency (%s), bins of %s", a.unit.name, FormatNS(g.width()/float64(g.bins)))
	}
	p.Y.Min, p.Y.Max = floor, yTop(g.highest)
	p.Y.Scale = share{ridgeHeight, plot.LogScale{}}
	p.Y.Tick.Marker = logTicks{}
	p.Y.Label.Text = "samples per bin"
	p.X.Width, p.Y.Width = 0, 0 // the picture has axes of its own, which end where their ticks do
	worst := list[g.worst]
	h := &header{title: o.Title}
	h.rows = append(h.rows, legendRow{"highest latency: " + FormatNS(float64(g.samples[g.worst].max)) + ", in " + named(worst), patch(1), nil})
	h.note(fmt.Sprintf("%s runs, %s samples, the newest in front", Count(uint64(len(list))), Count(g.total)))
	if !dated {
		h.notes[0] = fmt.Sprintf("%s runs, %s samples, the last in front", Count(uint64(len(list))), Count(g.total))
	}
	if g.beyond > 0 {
		h.note("beyond the axis: " + Count(g.beyond))
	}
	p.Add(g, h)
	return p, nil
}

// named writes a run with its day.
func named(s Series) string {
	if s.Start.IsZero() {
		return s.Name
	}
	return s.Name + " (" + s.Start.UTC().Format("2006-01-02") + ")"
}

// A share is a scale that ends before the end of the picture.
type share struct {
	of    float64
	inner plot.Normalizer
}

// Normalize implements plot.Normalizer.
func (s share) Normalize(lo, hi, x float64) float64 { return s.of * s.inner.Normalize(lo, hi, x) }

// ridges are histograms of equal bins, the oldest first.
type ridges struct {
	series  []Series
	samples []sample
	dated   bool
	span    // of the axis
	log     bool
	bins    int
	counts  [][]uint64
	worst   int // index of the run with the highest latency
	highest uint64
	total   uint64
	beyond  uint64
}

// lay chooses the axis and counts; it is false when there are no samples.
func (g *ridges) lay(o *Options) bool {
	all, bulk := span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for i, s := range g.samples {
		if s.n == 0 {
			continue
		}
		g.total += s.n
		all, bulk = all.union(s.all()), bulk.union(s.bulk())
		if g.worst < 0 || s.max > g.samples[g.worst].max {
			g.worst = i
		}
	}
	if g.worst < 0 {
		return false
	}
	size := max(bulk.width(), 20, 0.002*math.Abs(bulk.hi))
	pad := max(0.03*size, 10)
	g.span = span{all.lo - pad, all.hi + pad}
	if all.lo >= 0 {
		g.lo = max(g.lo, 0)
	}
	if pos, ok := positive(g.samples); ok && !o.Plain && !o.ranged() && all.width() > squeezed*size {
		g.log, g.span = true, widened(pos.lo, pos.hi)
	}
	if o.ranged() {
		g.span = span{float64(o.MinNS), float64(o.MaxNS)}
	}
	g.bins = mostRidgeBins
	if !g.log && !o.ranged() {
		w := roundUp(g.width() / mostRidgeBins)
		g.lo = math.Floor(g.lo/w) * w
		g.bins = int(math.Ceil((g.hi - g.lo) / w))
		g.hi = g.lo + float64(g.bins)*w
	}
	for _, s := range g.samples {
		g.counts = append(g.counts, g.count(s))
	}
	return true
}

func (g *ridges) count(s sample) []uint64 {
	counts := make([]uint64, g.bins)
	for _, b := range s.classes {
		i := g.bin(s.value(b))
		if i < 0 || i >= g.bins {
			g.beyond += b.Count
			continue
		}
		counts[i] += b.Count
		g.highest = max(g.highest, counts[i])
	}
	return counts
}

// bin returns the bin of a value, which is not one of the ridge's where the
// value is beyond the axis.
func (g *ridges) bin(v int64) int {
	at := (float64(v) - g.lo) / g.width()
	if g.log {
		at = math.Log(max(float64(v), g.lo/2)/g.lo) / math.Log(g.hi/g.lo)
	}
	if at == 1 {
		return g.bins - 1
	}
	return int(math.Floor(at * float64(g.bins)))
}

// at is the offset of the i-th run, the oldest first, from the front.
func (g *ridges) at(i int, size vg.Point) vg.Point {
	back := 0.0
	if n := len(g.series); n > 1 {
		back = 1 - float64(i)/float64(n-1)
	}
	return vg.Point{X: size.X * vg.Length(slantWidth*back), Y: size.Y * vg.Length(slantHeight*back)}
}
