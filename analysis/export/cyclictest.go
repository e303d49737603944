// SPDX-License-Identifier: GPL-2.0-only

package export

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// Cyclictest writes what cyclictest -h prints since 2011: a row for each class
// from the first to the last, empty ones too, and the foot, with inputs in
// the place of threads. Rows must be 1000 ns wide, or 1 ns as with its option
// -N, and start at a multiple of that; values below them cannot be told and
// are an error. Minimum, mean and maximum are cut to whole units, as it does.
// When how many values lie above is not known, there is no foot: the rows
// alone are plot data as OSADL's.
func Cyclictest(w io.Writer, hs []Histogram) error {
	rows := hs[0].Rows
	unit := width(rows)
	if from, to := rows.Edge(0), rows.Edge(rows.Bins()); unit != 1 && unit != 1000 || from < 0 || from%unit != 0 || to-from != unit*int64(rows.Bins()) {
		return fmt.Errorf("cyclictest's classes are of 1000 ns or 1 ns from 0 on, not of %d ns from %d ns on", unit, from)
	}
	open := false
	for _, h := range hs {
		if n := h.Rows.Under(); n > 0 {
			return fmt.Errorf("%d values of %s lie below %d ns, which cyclictest's form cannot tell", n, h.Name, rows.Edge(0))
		}
		open = open || h.OverOpen
	}
	out := bufio.NewWriter(w)
	if !open {
		fmt.Fprintln(out, "# Histogram")
	}
	cyclictestRows(out, hs, unit)
	if !open {
		cyclictestFoot(out, hs, unit)
	}
	return out.Flush()
}

func cyclictestRows(out io.Writer, hs []Histogram, unit int64) {
	counts := make([][]uint64, hs[0].Rows.Bins())
	var labels []int64
	for _, h := range hs {
		i := 0
		for r := range h.Rows.Rows() {
			if len(labels) < len(counts) {
				labels = append(labels, r.Low/unit)
			}
			counts[i] = append(counts[i], r.Count)
			i++
		}
	}
	for i, row := range counts {
		fmt.Fprintf(out, "%06d ", labels[i])
		for k, n := range row {
			if k > 0 {
				fmt.Fprint(out, "\t")
			}
			fmt.Fprintf(out, "%06d", n)
		}
		fmt.Fprintln(out)
	}
}

func cyclictestFoot(out io.Writer, hs []Histogram, unit int64) {
	line := func(title, format string, of func(Histogram) uint64) {
		fmt.Fprint(out, title)
		for _, h := range hs {
			fmt.Fprintf(out, " "+format, of(h))
		}
		fmt.Fprintln(out)
	}
	whole := func(ns int64) uint64 { return uint64(max(ns, 0) / unit) }
	line("# Total:", "%09d", func(h Histogram) uint64 { return h.Rows.Count() - h.Rows.Over() })
	line("# Min Latencies:", "%05d", func(h Histogram) uint64 { return whole(h.Latency.Min) })
	line("# Avg Latencies:", "%05d", func(h Histogram) uint64 {
		if math.IsNaN(h.Latency.Mean) {
			return 0
		}
		return whole(int64(h.Latency.Mean))
	})
	line("# Max Latencies:", "%05d", func(h Histogram) uint64 { return whole(h.Latency.Max) })
	line("# Histogram Overflows:", "%05d", func(h Histogram) uint64 { return h.Rows.Over() })
	fmt.Fprintln(out, "# Histogram Overflow at cycle number:")
	for i := range hs {
		fmt.Fprintf(out, "# Thread %d:\n", i)
	}
}
