// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"errors"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"siglat/analysis/recording"
)

// Parts are the pieces of a signal's way, in ns: expiry to callback, callback
// to sending, sending to receiving.
type Parts struct{ TimerNS, ModuleNS, LatencyNS int64 }

func (p Parts) total() int64 { return p.TimerNS + p.ModuleNS + p.LatencyNS }

// A Breakdown shows where the time of a run's signals went.
type Breakdown struct {
	Name   string
	Median Parts // the median of each part: their sum is no sample's
	Worst  Parts // of the sample with the highest latency
	// HasWorst is false where the worst sample's parts are not known.
	HasWorst bool
}

// BreakdownOf returns the parts of a recording; ok is false where it was made
// without them.
func BreakdownOf(r *recording.Recording) (b Breakdown, ok bool) {
	timer, ok1 := r.Segments[recording.SegmentTimer]
	module, ok2 := r.Segments[recording.SegmentModule]
	if !ok1 || !ok2 || timer.Count == 0 {
		return b, false
	}
	b = Breakdown{Name: r.Name, Median: Parts{timer.P50, module.P50, r.Latency.P50}}
	if len(r.Worst) > 0 {
		w := r.Worst[0]
		t, ok1 := w.Parts[recording.SegmentTimer]
		m, ok2 := w.Parts[recording.SegmentModule]
		b.Worst, b.HasWorst = Parts{t, m, w.LatencyNS}, ok1 && ok2
	}
	return b, true
}

// Segments draws the parts of a signal's way as stacked bars: for each run
// the medians on the left and its worst sample on the right, each side on a
// scale of its own. A negative part has no bar; its figure is written. It
// returns an error when there is no run.
func Segments(list []Breakdown, o Options) (*plot.Plot, error) {
	if len(list) == 0 {
		return nil, errors.New("plot: no run whose parts (timer, module) are known")
	}
	var names []string
	left, right := stack{}, stack{}
	for _, b := range list {
		names = append(names, b.Name)
		left.parts = append(left.parts, b.Median)
		left.known = append(left.known, true)
		right.parts = append(right.parts, b.Worst)
		right.known = append(right.known, b.HasWorst)
	}
	p := newPlot()
	p.HideAxes()
	h := &header{title: o.Title}
	for i, name := range []string{"timer: expiry to callback", "module: callback to sending", "latency: sending to receiving"} {
		h.rows = append(h.rows, legendRow{name, patch(segmentColor(i)), nil})
	}
	p.Add(panels{left.plot(names, "median of each part"), right.plot(make([]string, len(names)), "the worst sample")}, h)
	return p, nil
}

func segmentColor(i int) int { return []int{4, 2, 0}[i] } // light to dark in grey, too

// A stack is one side of the picture.
type stack struct {
	parts []Parts
	known []bool
}

func (s *stack) plot(names []string, title string) *plot.Plot {
	p := newPlot()
	most := int64(1)
	for i, v := range s.parts {
		if s.known[i] {
			most = max(most, max(v.TimerNS, 0)+max(v.ModuleNS, 0)+max(v.LatencyNS, 0))
		}
	}
	a := &axis{pieces: []piece{{span: span{0, float64(most) * 1.22}, to: 1}}}
	a.unit = unitFor(float64(most), 0)
	a.sparse = true
	a.apply(p)
	p.X.Label.Text = title + " (" + a.unit.name + ")"
	newNominal(names, 110).apply(&p.Y, true)
	p.Add(upright{}, s)
	return p
}

// Plot implements plot.Plotter.
func (s *stack) Plot(c draw.Canvas, p *plot.Plot) {
	height := min(rowHeight(&c, p)*0.6, 26)
	sty := textStyle(8, ColorInk)
	for i, v := range s.parts {
		y := c.Y(p.Y.Norm(float64(i))) - height/2
		if !s.known[i] {
			c.FillText(textStyle(8, ColorMuted), vg.Point{X: c.Min.X + 3, Y: y + height/2 - 3}, "not known")
			continue
		}
		at := int64(0)
		for k, part := range []int64{v.TimerNS, v.ModuleNS, v.LatencyNS} {
			if part <= 0 {
				continue
			}
			x0, x1 := c.X(p.X.Norm(float64(at))), c.X(p.X.Norm(float64(at+part)))
			at += part
			c.SetColor(Palette[segmentColor(k)])
			c.Fill(vg.Rectangle{Min: vg.Point{X: x0, Y: y}, Max: vg.Point{X: x1 - min(0.8, (x1-x0)/2), Y: y + height}}.Path())
		}
		text := FormatNS(float64(v.total()))
		if math.Signbit(float64(min(v.TimerNS, v.ModuleNS, v.LatencyNS))) {
			text += " (a part is negative)"
		}
		c.FillText(sty, vg.Point{X: c.X(p.X.Norm(float64(at))) + 4, Y: y + height/2 - 3}, text)
	}
}

// A patch is a colour of the palette in the legend.
type patch int

// Thumbnail implements plot.Thumbnailer.
func (k patch) Thumbnail(c *draw.Canvas) {
	c.SetColor(Palette[k])
	c.Fill(c.Rectangle.Path())
}

// panels draws two plots side by side in place of the data.
type panels [2]*plot.Plot

// Plot implements plot.Plotter.
func (k panels) Plot(c draw.Canvas, _ *plot.Plot) {
	middle := c.Min.X + c.Size().X*0.56
	k[0].Draw(draw.Crop(c, 0, middle-c.Max.X, 0, 0))
	k[1].Draw(draw.Crop(c, middle-c.Min.X+10, 0, 0, 0))
}
