// SPDX-License-Identifier: GPL-2.0-only

package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// GnuplotHead starts the first line of [Gnuplot]'s output.
const GnuplotHead = "# siglat histogram 1: classes of "

// Unknown stands in a comment of [Gnuplot]'s output for what is not known.
const Unknown = "?"

// Gnuplot writes rows "lower end in ns, count of each input" for gnuplot's
// "using 1:2". The rest stands in comments "# key: figure of each input",
// separated by tabs: names, count, min, mean, stddev, max, under, and as last
// line over.
func Gnuplot(w io.Writer, hs []Histogram) error {
	if err := distinct(hs); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	rows := hs[0].Rows
	fmt.Fprintf(out, "%s%d ns from %d to %d ns\n", GnuplotHead, width(rows), rows.Edge(0), rows.Edge(rows.Bins()))
	line := func(key string, of func(*Histogram) string) {
		fmt.Fprintf(out, "# %s:", key)
		for i := range hs {
			fmt.Fprintf(out, "\t%s", of(&hs[i]))
		}
		fmt.Fprintln(out)
	}
	known := func(h *Histogram, s string) string {
		if h.Latency.Count == 0 {
			return Unknown
		}
		return s
	}
	line("names", func(h *Histogram) string { return strings.NewReplacer("\t", " ", "\n", " ").Replace(h.Name) })
	line("count", func(h *Histogram) string { return h.figure(fmt.Sprint(h.Latency.Count), Unknown) })
	line("min", func(h *Histogram) string { return known(h, itoa(h.Latency.Min)) })
	line("mean", func(h *Histogram) string { return known(h, decimal(h.Latency.Mean, Unknown)) })
	line("stddev", func(h *Histogram) string { return known(h, decimal(h.Latency.Stddev, Unknown)) })
	line("max", func(h *Histogram) string { return known(h, h.figure(itoa(h.Latency.Max), Unknown)) })
	line("under", func(h *Histogram) string { return fmt.Sprint(h.Rows.Under()) })
	counts := make([][]uint64, rows.Bins())
	for _, h := range hs {
		i := 0
		for r := range h.Rows.Rows() {
			counts[i] = append(counts[i], r.Count)
			i++
		}
	}
	for i, row := range counts {
		fmt.Fprint(out, rows.Edge(i))
		for _, n := range row {
			fmt.Fprintf(out, "\t%d", n)
		}
		fmt.Fprintln(out)
	}
	line("over", func(h *Histogram) string { return h.over(Unknown) })
	return out.Flush()
}
