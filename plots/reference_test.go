// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"siglat/analysis/recording"
)

func TestReference(t *testing.T) {
	at := func(khz int64, clock string) *recording.Recording {
		r := &recording.Recording{}
		r.Host.CPUKHz, r.Clock = khz, clock
		return r
	}
	for _, c := range []struct {
		runs []*recording.Recording
		ns   int64
		text string
	}{
		{[]*recording.Recording{at(3_200_000, "real"), at(3_200_000, "real")}, 31_250, "100\u00a0000 cycles at 3.2\u00a0GHz: 31.25\u00a0µs"},
		{[]*recording.Recording{at(3_200_000, "real"), at(2_000_000, "real")}, 0, ""},
		{[]*recording.Recording{at(3_200_000, "real"), at(0, "")}, 0, ""},
		{[]*recording.Recording{at(1_000_000, "virtual")}, 0, ""},
		{nil, 0, ""},
	} {
		if ns, text := Reference(c.runs); ns != c.ns || text != c.text {
			t.Errorf("%d ns, %q; want %d, %q", ns, text, c.ns, c.text)
		}
	}
}

// A line that the samples do not call for is told instead of drawn; one that
// was asked for is always drawn.
func TestReferenceBeyond(t *testing.T) {
	d := skewed(1000, 1, 2000, 20000, 0.35)
	for _, c := range []struct {
		o    Options
		note bool
	}{
		{Options{BudgetNS: 1e9, BudgetIfNear: true}, true},
		{Options{BudgetNS: 1e9}, false},
		{Options{BudgetNS: 50_000, BudgetIfNear: true}, false},
		{Options{BudgetNS: 50_000, MinNS: 1, MaxNS: 20_000}, true},
	} {
		for name, p := range both(t, c.o, Series{Name: "run", Dist: d}) {
			var b bytes.Buffer
			if err := Encode(&b, p, 6*vg.Inch, 4*vg.Inch, "svg"); err != nil {
				t.Fatal(err)
			}
			s := b.String()
			if !strings.Contains(s, "budget ") || strings.Contains(s, ", beyond the axis") != c.note {
				t.Errorf("%s of %+v: note %v, want %v", name, c.o, !c.note, c.note)
			}
		}
	}
}
