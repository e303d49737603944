// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"

	"siglat/analysis"
)

func axisOf(d *analysis.Distribution, o Options) (*axis, sample) {
	s := collect(d)
	a := newAxis([]sample{s}, s.all(), s.bulk(), o)
	a.snap(binWidth([]sample{s}, a.main().span), o)
	return a, s
}

// An axis holds every sample, rises strictly, and covers 0 to 1.
func TestAxisCoversAll(t *testing.T) {
	for name, d := range awkward() {
		if d == nil || d.Count() == 0 {
			continue
		}
		for _, o := range []Options{{}, {Plain: true}, {BudgetNS: 1e6}} {
			a, s := axisOf(d, o)
			lo, hi := a.pieces[0].lo, a.pieces[len(a.pieces)-1].hi
			if float64(s.min) < lo || float64(s.max) > hi {
				t.Errorf("%s: axis from %g to %g misses samples from %d to %d", name, lo, hi, s.min, s.max)
			}
			if a.Normalize(lo, hi, lo) != 0 || math.Abs(a.Normalize(lo, hi, hi)-1) > 1e-12 {
				t.Errorf("%s: ends at %g and %g, want 0 and 1", name, a.Normalize(lo, hi, lo), a.Normalize(lo, hi, hi))
			}
			if o.Plain && len(a.pieces) != 1 {
				t.Errorf("%s: plain axis has %d scales", name, len(a.pieces))
			}
			last := math.Inf(-1)
			for _, p := range a.pieces {
				for k := range 21 {
					at := a.Normalize(lo, hi, p.lo+p.width()*float64(k)/20)
					if at < last-1e-12 {
						t.Fatalf("%s: axis goes back from %g to %g", name, last, at)
					}
					last = at
				}
			}
		}
	}
}

func TestTails(t *testing.T) {
	for name, want := range map[string]int{
		"lone outlier": 2, "low outlier": 2, "ends of int64": 3, "equal": 1, "negative": 1,
	} {
		if a, _ := axisOf(awkward()[name], Options{}); len(a.pieces) != want {
			t.Errorf("%s: axis has %d scales, want %d", name, len(a.pieces), want)
		}
	}
}

// Labels keep a gap of at least four points on a picture of default width.
func TestTickLabelsApart(t *testing.T) {
	for name, d := range awkward() {
		if d == nil || d.Count() == 0 {
			continue
		}
		p := mustHistogram(t, Options{}, Series{Name: name, Dist: d})
		width := DefaultWidth - 80
		end, labels := vg.Length(math.Inf(-1)), 0
		for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if tick.IsMinor() {
				continue
			}
			labels++
			x := vg.Length(p.X.Norm(tick.Value)) * width
			w := p.X.Tick.Label.Width(tick.Label)
			if x-w/2 < end+4 {
				t.Errorf("%s: label %q at %g touches its neighbour that ends at %g", name, tick.Label, x, end)
			}
			end = x + w/2
		}
		if labels < 2 {
			t.Errorf("%s: %d labels on the latency axis", name, labels)
		}
	}
}

func TestLogTicks(t *testing.T) {
	labels, minors := 0, 0
	for _, tick := range (logTicks{}).Ticks(0.5, 2000) {
		if tick.IsMinor() {
			minors++
			continue
		}
		if want := []string{"1", "10", "100", "1k"}[labels]; tick.Label != want {
			t.Errorf("label %q, want %q", tick.Label, want)
		}
		labels++
	}
	if labels != 4 || minors < 24 {
		t.Errorf("%d labels and %d minor ticks", labels, minors)
	}
}
