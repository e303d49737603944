// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"siglat/analysis"
	"siglat/analysis/input"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

func hist(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport hist",
		Synopsis: "[flags] INPUT...",
		About: `Prints rows of equal width, with a column of counts for each input: lower end,
upper end (not included), counts. The first row counts what lies below the
minimum and the last what lies at or above the maximum; both are always
printed, and the sum of a column is the number of values. Counts are exact for
files of single values, and for all inputs below 32768 ns.`,
		Examples: []string{"sigreport hist --bins 100 --min 0 --max 3000000 latencies.txt"},
	}
	f := c.Group("Rows")
	bins := f.Int("bins", 100, "number of rows between minimum and maximum")
	low, high := span(0), span(0)
	f.Var(&low, "min", "lower end of the first row, in ns or with a unit")
	f.Var(&high, "max", "upper end of the last row (default: above all values)")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	if err := needInputs(&c, paths, 1); err != nil {
		return err
	}
	if c.Changed("max") {
		if _, err := analysis.NewLinear(int64(low), int64(high), *bins); err != nil {
			return cli.Usagef("%w", err)
		}
	} else if *bins < 1 || *bins > analysis.MaxBins {
		return cli.Usagef("histogram: %d bins, must be 1 to %d", *bins, analysis.MaxBins)
	}
	h := histograms{min: int64(low), max: int64(high), bins: *bins, chosen: !c.Changed("max")}
	if err := h.read(in, paths); err != nil {
		return err
	}
	return h.print(s.Out)
}

// histograms are those of all inputs, with equal rows.
type histograms struct {
	min, max int64
	bins     int
	chosen   bool // the maximum follows from the values

	names []string
	lines []*analysis.Linear
}

// linearSink counts single values as they are read.
type linearSink struct {
	path string
	l    *analysis.Linear
}

// Values implements input.Sink.
func (s linearSink) Values(ns []int64) {
	for _, v := range ns {
		s.l.Record(v)
	}
}

func (h *histograms) read(r *input.Reader, paths []string) error {
	var sinks []linearSink
	var sinkErr error
	if !h.chosen {
		r.Sink = func(path string) input.Sink {
			l, err := analysis.NewLinear(h.min, h.max, h.bins)
			if err != nil {
				sinkErr = err
				return nil
			}
			sinks = append(sinks, linearSink{path, l})
			return sinks[len(sinks)-1]
		}
	}
	recs, err := r.Open(paths)
	if err != nil {
		return err
	}
	if sinkErr != nil {
		return sinkErr
	}
	if h.chosen {
		h.max = h.above(recs)
	}
	for _, rec := range recs {
		l, err := h.of(rec, &sinks)
		if err != nil {
			return err
		}
		h.names = append(h.names, rec.Name)
		h.lines = append(h.lines, l)
	}
	return nil
}

// of returns the histogram of a recording: what its sink counted, or its
// distribution in rows.
func (h *histograms) of(rec *recording.Recording, sinks *[]linearSink) (*analysis.Linear, error) {
	for i, s := range *sinks {
		if s.path == rec.Path && s.l.Count() > 0 && s.l.Count() == rec.Latency.Count {
			*sinks = append((*sinks)[:i:i], (*sinks)[i+1:]...)
			return s.l, nil
		}
	}
	d := rec.Latencies()
	if d == nil {
		return nil, fmt.Errorf("histogram of %s: it holds no distribution, only figures", rec.Name)
	}
	l, err := analysis.NewLinear(h.min, h.max, h.bins)
	if err != nil {
		return nil, err
	}
	l.Add(d)
	return l, nil
}

// above returns a maximum above all values that gives rows of equal width.
func (h *histograms) above(recs []*recording.Recording) int64 {
	top := h.min
	for _, r := range recs {
		top = max(top, r.Latency.Max)
	}
	width := (uint64(top)-uint64(h.min))/uint64(h.bins) + 1
	if span := width * uint64(h.bins); span <= 1<<63-1-uint64(h.min) {
		return h.min + int64(span)
	}
	return 1<<63 - 1
}

func (h *histograms) print(w io.Writer) error {
	heads := []string{"# low_ns", "high_ns"}
	under, over := []string{"-inf", itoa(h.min)}, []string{itoa(h.max), "inf"}
	var t table
	for i, l := range h.lines {
		heads = append(heads, strings.ReplaceAll(h.names[i], " ", "_"))
		under = append(under, utoa(l.Under()))
		over = append(over, utoa(l.Over()))
	}
	t.add(heads...)
	t.add(under...)
	rows := make([][]string, 0, h.bins)
	for i, l := range h.lines {
		k := 0
		for r := range l.Rows() {
			if i == 0 {
				rows = append(rows, []string{itoa(r.Low), itoa(r.High)})
			}
			rows[k] = append(rows[k], utoa(r.Count))
			k++
		}
	}
	t.rows = append(append(t.rows, rows...), over)
	if err := t.print(w); err != nil {
		return err
	}
	for i, l := range h.lines {
		if n := l.Approximate(); n > 0 {
			if _, err := fmt.Fprintf(w, "# %s: approximate: %d of %d values, known within 1/16384, may belong in the row before theirs\n", h.names[i], n, l.Count()); err != nil {
				return err
			}
		}
	}
	return nil
}

func utoa(n uint64) string { return strconv.FormatUint(n, 10) }
