// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"math"

	"siglat/analysis/comparison"
)

// An askedPair is a comparison that the user asked for, as text; times in µs.
type askedPair struct {
	A, B, Sentence, Rank string
	Rows                 []askedRow
	Notes, Warnings      []string
}

type askedRow struct{ Name, A, B, Difference, Interval string }

func newAsked(p *comparison.Pair) askedPair {
	a := askedPair{A: p.A.Name, B: p.B.Name, Sentence: p.Sentence, Warnings: p.Warnings}
	if p.Verdict == comparison.None {
		a.Sentence = upper(a.Sentence) // it begins with a word, else with a name
	}
	for _, f := range p.Figures() {
		r := askedRow{Name: f.Name, A: micros(f.A), B: micros(f.B), Difference: "–", Interval: "–"}
		if f.OpenA {
			r.A = "–"
		}
		if f.OpenB {
			r.B = "–"
		}
		if f.Known() {
			r.Difference = signed(float64(f.NS()))
			if percent := f.Percent(); !math.IsNaN(percent) {
				r.Difference += fmt.Sprintf(" (%+.1f\u00a0%%)", percent)
			}
		}
		if f.Of != nil {
			r.Interval = signed(float64(f.Of.Low)) + " to " + signed(float64(f.Of.High))
		}
		a.Rows = append(a.Rows, r)
	}
	if w := p.Rank; w != nil {
		a.Rank = fmt.Sprintf("Rank test of Mann and Whitney: %s; a value of %s is below one of %s in %.1f\u00a0%% of cases.",
			w.PText(), p.A.Name, p.B.Name, 100*w.Effect)
	}
	for _, s := range p.Setup {
		a.Notes = append(a.Notes, "differs: "+s)
	}
	return a
}
