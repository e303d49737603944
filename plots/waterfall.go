// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"siglat/analysis/baseline"
	"siglat/analysis/recording"
)

// An Explained run is one whose median consists of known parts.
type Explained struct {
	Name string
	baseline.Explanation
}

// ExplanationOf explains the median of a run by the baselines in its folder;
// ok is false where there are none, no samples, or where the two were measured
// by different clocks.
func ExplanationOf(r *recording.Recording) (e Explained, ok bool) {
	b, d := r.Baseline, r.Latency
	if b == nil || d.Count == 0 || r.Clock != "" && b.Clock != "" && r.Clock != b.Clock {
		return e, false
	}
	policy, receiver := r.Effective.Policy, r.Effective.Receiver
	if receiver == "" {
		receiver = r.Config.Receiver
	}
	p := baseline.Path{Source: r.Config.Source, Mode: r.Config.Mode, Receiver: receiver, Context: r.Effective.Context,
		RealTime: policy == "fifo" || policy == "rr" || policy == "deadline", MedianNS: d.P50,
		Same: r.Effective.Placement == "same", Other: r.Effective.Placement == "other"}
	if p.Source == "timer" || p.Mode == "kthread" || p.Mode == "irq" {
		p.Same = true // the kernel's timer is where the thread is
	}
	return Explained{r.Name, b.Explain(p)}, true
}

// Waterfall draws where the latency goes: for each run its floor, the parts of
// its median, each from where the one before ends, the unknown rest, and the
// median. It returns an error when there is no run.
func Waterfall(list []Explained, o Options) (*plot.Plot, error) {
	if len(list) == 0 {
		return nil, errors.New("plot: no run whose parts are known: sigwait baseline measures them")
	}
	w := &waterfall{}
	var names []string
	most := int64(1)
	row := func(name string, b bar) {
		names, w.bars = append(names, name), append(w.bars, b)
		most = max(most, b.from, b.from+b.ns)
	}
	for _, e := range list {
		if e.Floor.Name != "" {
			row("floor: "+e.Floor.Name, bar{ns: e.Floor.NS, color: floorColor, of: e.MedianNS})
		}
		at := int64(0)
		for _, p := range e.Parts {
			row(p.Name, bar{from: at, ns: p.NS, color: partColor, of: e.MedianNS})
			at += p.NS
		}
		row("unknown", bar{from: at, ns: e.UnknownNS, color: unknownColor, of: e.MedianNS})
		row(fmt.Sprintf("median of %s", e.Name), bar{ns: e.MedianNS, color: medianColor})
	}
	p := newPlot()
	a := &axis{pieces: []piece{{span: span{0, float64(most) * 1.25}, to: 1}}}
	a.unit = unitFor(float64(most), 0)
	w.unit = a.unit
	a.apply(p)
	p.X.Label.Text = "latency (" + a.unit.name + ")"
	newNominal(names, 190).apply(&p.Y, true)
	p.Add(upright{}, w, &header{title: o.Title})
	return p, nil
}

// A bar is a row of a waterfall.
type bar struct {
	from, ns, of int64 // of: the median, of which it is a share
	color        int
}

// Colours of the bars, light to dark in grey, too.
const (
	floorColor   = 5
	partColor    = 0
	unknownColor = 4
	medianColor  = 6
)

type waterfall struct {
	bars []bar
	unit unit
}

// Plot implements plot.Plotter.
func (w *waterfall) Plot(c draw.Canvas, p *plot.Plot) {
	height := min(rowHeight(&c, p)*0.62, 20)
	for i, b := range w.bars {
		y := c.Y(p.Y.Norm(float64(i)))
		x0, x1 := c.X(p.X.Norm(float64(b.from))), c.X(p.X.Norm(float64(b.from+b.ns)))
		c.SetColor(Palette[b.color])
		c.Fill(vg.Rectangle{Min: vg.Point{X: min(x0, x1), Y: y - height/2}, Max: vg.Point{X: max(x0, x1), Y: y + height/2}}.Path())
		text := w.unit.number(float64(b.ns))
		if b.of > 0 {
			text += fmt.Sprintf(" (%.0f %%)", 100*float64(b.ns)/float64(b.of))
		}
		sty := textStyle(8, ColorInk)
		sty.YAlign = draw.YCenter
		c.FillText(sty, vg.Point{X: max(x0, x1) + 4, Y: y}, text)
	}
}
