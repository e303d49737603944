// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"
	"strconv"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/analysis/tail"
)

const confidence = 0.95

// writeDetail prints quantiles with their intervals and what the maximum
// says, for each input.
func writeDetail(w io.Writer, recs []*recording.Recording) error {
	for _, r := range recs {
		d := r.Latencies()
		if d == nil || d.Count() == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s: quantiles in ns with intervals of %g %%\n", r.Name, 100*confidence)
		var t table
		t.add("quantile", "value", "from", "below", "confidence")
		for _, i := range d.QuantileIntervals(confidence, analysis.DetailQuantiles...) {
			low, high := itoa(i.Low), itoa(i.High)
			if i.LowOpen {
				low = "-inf"
			}
			if i.HighOpen {
				high = "inf"
			}
			t.add("p"+strconv.FormatFloat(i.Q*100, 'g', 8, 64), itoa(i.Value), low, high, fmt.Sprintf("%.2f %%", 100*i.Confidence))
		}
		if err := t.print(w); err != nil {
			return err
		}
		for _, line := range maximumSays(r) {
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// maximumSays tells what the maximum of r says of values not seen.
func maximumSays(r *recording.Recording) []string {
	d := r.Latencies()
	n := d.Count()
	lines := []string{fmt.Sprintf("maximum %d ns: with 95 %% confidence no more than %.2g of all values exceed it (about 3/%d), were they independent; it bounds no single one",
		r.Latency.Max, analysis.ExceedanceBound(n, confidence), n)}
	if limit := analysis.ClockCycles(r.Host.CPUKHz); limit > 0 {
		word := "below"
		if r.Latency.Max >= limit {
			word = "not below"
		}
		lines = append(lines, fmt.Sprintf("rule of thumb: the maximum is %s 10^5 clock cycles, %d ns at %d kHz", word, limit, r.Host.CPUKHz))
	}
	if r.Import != nil && r.Import.Overflow > 0 {
		return append(lines, "extreme values: no estimate: values above the classes are not known one by one")
	}
	f, err := tail.Of(d)
	if err != nil {
		lines = append(lines, "extreme values: no estimate: "+err.Error())
	} else {
		for _, k := range []float64{10, 100} {
			e := f.Return(k * float64(n))
			lines = append(lines, fmt.Sprintf("extreme values: one of %.3g values exceeds %.0f ns (95 %%: %.0f to %.0f; shape %.3f, p = %.2f)", e.N, e.Value, e.Low, e.High, f.Shape, f.PValue))
		}
	}
	return append(lines, observed(r)...)
}

// observed tells which share of the run's time a wake-up could have been
// delayed in and noticed: latency is potential all the time, and effective
// only where a signal was under way.
func observed(r *recording.Recording) []string {
	if !r.HasRun || r.ElapsedNS <= 0 {
		return nil
	}
	share := r.Latency.Mean * float64(r.Latency.Count) / float64(r.ElapsedNS)
	return []string{fmt.Sprintf("observed: signals were under way in %.3g %% of the run's time; delays between them are not seen", 100*min(share, 1))}
}

// writeOver prints how many values exceed a threshold; any tells whether one
// does.
func writeOver(w io.Writer, recs []*recording.Recording, threshold int64) (any bool, err error) {
	for _, r := range recs {
		low, high := over(r, threshold)
		any = any || high > 0
		count := utoa(low)
		if low != high {
			count += " to " + utoa(high)
		}
		if _, err := fmt.Fprintf(w, "%s: %s of %d values over %d ns\n", r.Name, count, r.Latency.Count, threshold); err != nil {
			return any, err
		}
	}
	return any, nil
}

// over counts values above the threshold. Where only figures are known, the
// maximum tells of one.
func over(r *recording.Recording, threshold int64) (low, high uint64) {
	d := r.Latencies()
	switch {
	case d == nil && r.Latency.Max > threshold:
		return 1, max(1, r.Latency.Count)
	case d == nil:
		return 0, 0
	}
	low, high = d.Over(threshold)
	if i := r.Import; i != nil && i.Overflow > 0 && r.Latency.Max > threshold {
		low = min(low, max(1, low-min(low, i.Overflow-1)))
	}
	return low, high
}
