// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"strconv"
	"unicode/utf8"

	"gonum.org/v1/plot"
)

// An axis is linear in pieces. Usually there is one piece. Where a few
// samples lie far away from all others, a second (and below, a third) piece
// holds them on a scale of its own, so that both can be read.
type axis struct {
	pieces []piece
	unit   unit
	bin    float64 // ns
	sparse bool    // half as many labels, for a narrow picture
}

// A piece maps [lo, hi] in ns to [from, to] of the axis' length.
type piece struct {
	span
	from, to float64
	tail     bool
}

// Normalize implements plot.Normalizer. The pieces hold the range.
func (a *axis) Normalize(_, _, x float64) float64 {
	for i, p := range a.pieces {
		if x <= p.hi || i == len(a.pieces)-1 {
			return p.from + (x-p.lo)/p.width()*(p.to-p.from)
		}
	}
	return 0
}

// Limits of the pieces.
const (
	squeezed  = 4    // tail when all samples span this many times the others' span
	tailShare = 0.24 // of the axis, for a tail
	fromZero  = 0.35 // axis starts at 0 when the bulk starts below this part of its end
)

// nearest returns the span of the samples within limits.
func nearest(samples []sample, limits span) span {
	r := span{math.Inf(1), math.Inf(-1)}
	for _, s := range samples {
		for _, b := range s.classes {
			if v := float64(s.value(b)); v >= limits.lo && v <= limits.hi {
				r = r.union(span{v, v})
			}
		}
	}
	return r
}

// newAxis lays out the axis for samples that span all, most of them bulk.
func newAxis(samples []sample, all, bulk span, o Options) *axis {
	if o.ranged() {
		return &axis{pieces: []piece{{span: span{float64(o.MinNS), float64(o.MaxNS)}, to: 1}}}
	}
	if o.BudgetNS > 0 {
		all = all.union(span{float64(o.BudgetNS), float64(o.BudgetNS)})
	}
	size := max(bulk.width(), 20, 0.002*math.Abs(bulk.hi))
	near := nearest(samples, span{bulk.lo - size, bulk.hi + 2*size})
	pad := max(size/10, near.width()/20, 10-near.width()/2)
	main := span{near.lo - pad, near.hi + pad}
	if bulk.lo >= 0 && (main.lo < 0 || bulk.lo < fromZero*bulk.hi) {
		main.lo = 0
	}
	above := all.hi > main.hi && all.hi-main.lo > squeezed*main.width() && !o.Plain
	below := all.lo < main.lo && main.hi-all.lo > squeezed*main.width() && !o.Plain
	if !above && all.hi > main.hi {
		main.hi = all.hi + 0.06*(all.hi-main.lo)
	}
	if !below && all.lo < main.lo {
		main.lo = all.lo - 0.04*(main.hi-all.lo)
		if all.lo >= 0 {
			main.lo = max(main.lo, 0)
		}
	}
	a := &axis{}
	from, to := 0.0, 1.0
	if below {
		a.pieces = append(a.pieces, piece{span{all.lo - 0.08*(main.lo-all.lo), main.lo}, 0, tailShare, true})
		from = tailShare
	}
	if above {
		to = 1 - tailShare
	}
	a.pieces = append(a.pieces, piece{main, from, to, false})
	if above {
		a.pieces = append(a.pieces, piece{span{main.hi, all.hi + 0.08*(all.hi-main.hi)}, to, 1, true})
	}
	return a
}

// main returns the piece with the bulk of the samples.
func (a *axis) main() *piece {
	for i := range a.pieces {
		if !a.pieces[i].tail {
			return &a.pieces[i]
		}
	}
	return &a.pieces[0]
}

// snap moves the borders of the pieces to multiples of the bin width, so
// that no bin lies in two, and chooses the unit. Borders that the user gave
// stay.
func (a *axis) snap(width int64, o Options) {
	w := float64(width)
	if !o.ranged() {
		for i := range a.pieces {
			p := &a.pieces[i]
			p.lo, p.hi = math.Floor(p.lo/w)*w, math.Ceil(p.hi/w)*w
			if p.lo == p.hi {
				p.hi += w
			}
			if i > 0 {
				p.lo = a.pieces[i-1].hi
			}
		}
	}
	m := a.main()
	a.bin = w
	a.unit = unitFor(max(math.Abs(m.lo), math.Abs(m.hi)), 0)
	if step := labelStep(*m); step < a.unit.ns/1000 {
		a.unit = unitFor(max(math.Abs(m.lo), math.Abs(m.hi)), step)
	}
}

// apply makes a the x axis of p.
func (a *axis) apply(p *plot.Plot) {
	p.X.Min, p.X.Max = a.pieces[0].lo, a.pieces[len(a.pieces)-1].hi
	p.X.Scale = a
	p.X.Tick.Marker = a
}

// labelStep returns the distance of labels in ns: about 8 on a whole axis.
func labelStep(p piece) float64 {
	return roundUp(max(p.width()/(9*(p.to-p.from)), 1))
}

// tailStep is labelStep for a tail, which shows at least two labels.
func tailStep(p piece) float64 {
	step := labelStep(p)
	inside := func(step float64) float64 { return math.Floor(p.hi/step) - math.Ceil(p.lo/step) + 1 }
	for n := 0; n < 2 && inside(step) < 2 && step > 1; n++ {
		step = roundUp(step / 2.6)
	}
	return step
}

// scale returns the distance of labels and the unit they are written in: that
// of the axis, unless a tail would need six digits in it.
func (a *axis) scale(p piece) (step float64, u unit, suffix string) {
	if a.sparse {
		return roundUp(max(p.width()/5, 1)), a.unit, ""
	}
	if !p.tail {
		return labelStep(p), a.unit, ""
	}
	far := max(math.Abs(p.lo), math.Abs(p.hi))
	if u = unitFor(far, 0); far >= 1e5*a.unit.ns && u.ns > a.unit.ns {
		return tailStep(p), u, "\u00a0" + u.name
	}
	return tailStep(p), a.unit, ""
}

// Ticks implements plot.Ticker.
func (a *axis) Ticks(_, _ float64) []plot.Tick {
	var ticks []plot.Tick
	end := math.Inf(-1) // of the label before
	for i, p := range a.pieces {
		border := p.from // where a tail meets the rest
		if i == 0 {
			border = p.to
		}
		step, u, suffix := a.scale(p)
		minor := step / 5
		if lead := step / math.Pow(10, math.Floor(math.Log10(step)*(1+1e-12))); math.Abs(lead-2) < 0.1 {
			minor = step / 4
		}
		for k := math.Ceil(p.lo/minor - 1e-6); k*minor <= p.hi+minor*1e-6; k++ {
			v := k * minor
			t := plot.Tick{Value: v}
			at := a.Normalize(0, 0, v)
			if m := math.Round(v / step); math.Abs(v-m*step) < minor/4 && (!p.tail || math.Abs(at-border) > 0.03) {
				label := u.step(m*step, step) + suffix
				half := 0.0055 * float64(utf8.RuneCountInString(label)) // of the axis
				if at-half > end+0.012 {
					t.Value, t.Label = m*step, label
					end = at + half
				}
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// logTicks marks powers of ten and their multiples.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	every := 1 + (last-first)/9
	for e := first; e <= last; e++ {
		p := math.Pow10(e)
		for m := 1.0; m < 10; m++ {
			v := m * p
			if v < lo || v > hi || every > 1 && m > 1 {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && e%every == 0 {
				t.Label = powerLabel(e)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// powerLabel writes 10^e with the SI prefix from 1000 on.
func powerLabel(e int) string {
	if e < 0 || e > 17 {
		return "1e" + strconv.Itoa(e)
	}
	prefix := []string{"", "k", "M", "G", "T", "P"}[e/3]
	return []string{"1", "10", "100"}[e%3] + prefix
}
