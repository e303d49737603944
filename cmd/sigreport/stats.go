// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"siglat/analysis"
	"siglat/analysis/input"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

func stats(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport stats",
		Synopsis: "[flags] INPUT...",
		About: `Prints a row of figures, in ns, for each input. An input is a run directory, a
file of one integer per line or of another tool, or -. Count, minimum, mean,
standard deviation (divisor n-1) and maximum are exact; quantiles are exact
below 32768 ns and within 1/16384 above.

A run shows effective latencies: those of the moments at which its signals
came. Potential ones, of any other moment, may be higher; --detail tells in
which share of its time the run could observe a delay at all.`,
		Exit: "3 a latency is over the limit",
		Examples: []string{
			"sigreport stats runs/* latencies.txt",
			"zcat old.txt.gz | sigreport stats --json -",
		},
	}
	f := c.Group("Output")
	asJSON := f.Bool("json", false, "print a JSON array instead of a table")
	detail := f.Bool("detail", false, "print quantiles up to p99.9999 with confidence intervals, and what\nthe maximum says of values not seen")
	limit := span(0)
	f.Var(&limit, "over", "count the values over this `TIME`, in ns or with a unit")
	fail := f.Bool("fail-over", false, "end with exit status 3 when a value is over --over")
	in := inputFlags(&c)
	recs, err := load(&c, in, args, s)
	if err != nil {
		return err
	}
	if *fail && !c.Changed("over") {
		return cli.Usagef("--fail-over needs --over (try %s --help)", c.Name)
	}
	over := (*int64)(nil)
	if c.Changed("over") {
		over = (*int64)(&limit)
	}
	if *asJSON {
		err = writeStatsJSON(s.Out, recs, *detail, over)
	} else if err = writeStats(s.Out, recs); err == nil && *detail {
		err = writeDetail(s.Out, recs)
	}
	if err == nil && over != nil && !*asJSON {
		err = writeOver(s.Out, recs, *over)
	}
	if err == nil && over != nil && *fail {
		err = exceeds(recs, *over)
	}
	return err
}

// load parses args and opens the inputs that they name.
func load(c *cli.Command, in *input.Reader, args []string, s cli.Streams) ([]*recording.Recording, error) {
	paths, err := c.Parse(args, s.Out)
	if err != nil {
		return nil, err
	}
	if err := needInputs(c, paths, 1); err != nil {
		return nil, err
	}
	in.Stdin = s.In
	return in.Open(paths)
}

func needInputs(c *cli.Command, paths []string, n int) error {
	switch {
	case len(paths) >= n:
		return nil
	case n == 1:
		return cli.Usagef("no input: give a run directory, a file or - (try %s --help)", c.Name)
	}
	return cli.Usagef("%d inputs needed, %d given (try %s --help)", n, len(paths), c.Name)
}

// writeStats prints the table and, below it, the warnings.
func writeStats(w io.Writer, recs []*recording.Recording) error {
	t := table{}
	t.add("name (ns)", "count", "min", "mean", "stddev", "p50", "p90", "p99", "p99.9", "max", ">max", "lost")
	seen := false
	for _, r := range recs {
		t.add(statsRow(r)...)
		seen = seen || r.HasBound()
	}
	if err := t.print(w); err != nil {
		return err
	}
	if seen {
		if _, err := fmt.Fprintln(w, ">max: with 95 % confidence no more than this share of all values exceeds the maximum, were they independent (3/n)"); err != nil {
			return err
		}
	}
	return printWarnings(w, recs)
}

func statsRow(r *recording.Recording) []string {
	l := r.Latency
	lost := unknown
	if knowsLost(r) {
		lost = strconv.FormatUint(r.Counts.Lost, 10)
	}
	row := []string{r.Name, strconv.FormatUint(l.Count, 10)}
	open := !r.HasCount()
	if open {
		row[1] = unknown
	}
	if l.Count == 0 && !open {
		return append(row, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, lost)
	}
	lowest := unknown
	if r.HasMin() {
		lowest = itoa(l.Min)
	}
	row = append(row, lowest, tenths(l.Mean), tenths(l.Stddev))
	if !r.HasQuantiles() {
		row = append(row, unknown, unknown, unknown, unknown)
	} else {
		row = append(row, itoa(l.P50), itoa(l.P90), itoa(l.P99), itoa(l.P999))
	}
	bound := unknown
	if r.HasBound() {
		bound = fmt.Sprintf("%.1e", analysis.ExceedanceBound(l.Count, confidence))
	}
	return append(row, itoa(l.Max), bound, lost)
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

// knowsLost tells whether the input says what was lost: only a finished run
// does.
func knowsLost(r *recording.Recording) bool { return r.HasRun }

func printWarnings(w io.Writer, recs []*recording.Recording) error {
	for _, r := range recs {
		for _, text := range r.Warnings {
			if _, err := fmt.Fprintf(w, "warning: %s: %s\n", r.Name, text); err != nil {
				return err
			}
		}
	}
	return nil
}
