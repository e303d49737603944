// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// writeDetail prints quantiles with their intervals and what the maximum
// says, for each input.
func writeDetail(w io.Writer, recs []*recording.Recording) error {
	for _, r := range recs {
		d := detailOf(r)
		if d == nil {
			continue
		}
		fmt.Fprintf(w, "\n%s: quantiles in ns with intervals of %g %%\n", r.Name, 100*d.Confidence)
		var t table
		t.add("quantile", "value", "from", "below", "confidence")
		for _, q := range d.Quantiles {
			low, high := "-inf", "inf"
			if q.Low != nil {
				low = itoa(*q.Low)
			}
			if q.High != nil {
				high = itoa(*q.High)
			}
			t.add(q.name(), itoa(q.Value), low, high, fmt.Sprintf("%.2f %%", 100*q.Confidence))
		}
		if err := t.print(w); err != nil {
			return err
		}
		for _, line := range d.maximumSays(r) {
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// maximumSays tells what the maximum of r says of values not seen.
func (d *detail) maximumSays(r *recording.Recording) []string {
	n := r.Latency.Count
	var lines []string
	if r.HasBound() {
		lines = append(lines, fmt.Sprintf("maximum %d ns: with 95 %% confidence no more than %.2g of all values exceed it (about 3/%d), were they independent; it bounds no single one",
			r.Latency.Max, analysis.ExceedanceBound(n, confidence), n))
	}
	if c := d.Cycles; c != nil {
		word := "not below"
		if c.Below {
			word = "below"
		}
		lines = append(lines, fmt.Sprintf("rule of thumb: the maximum is %s 10^5 clock cycles, %d ns at %d kHz", word, c.Limit, c.KHz))
	}
	if e := d.Extreme; e != nil {
		for _, x := range e.Returns {
			lines = append(lines, fmt.Sprintf("extreme values: one of %.3g values exceeds %.0f ns (95 %%: %.0f to %.0f; shape %.3f, p = %.2f)", x.OneOf, x.Value, x.Low, x.High, e.Shape, e.P))
		}
	} else {
		lines = append(lines, "extreme values: no estimate: "+d.Refused)
	}
	if o := d.Observed; o != nil {
		line := fmt.Sprintf("observed: a signal was under way in %.3g %% of the run's time; a delay outside of it is not seen", 100*o.Share)
		if o.Met != nil {
			line += fmt.Sprintf(", a single one as long as the maximum is met with probability %.3g", *o.Met)
		}
		lines = append(lines, line)
	}
	return lines
}
