// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"math"
	"slices"

	"siglat/analysis"
	"siglat/analysis/input"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

// rowsAsked are the flags for the rows of histograms.
type rowsAsked struct {
	bins             int
	width, low, high span
}

// rowFlags adds the flags for rows; without a usual width, --bins tells how
// many there are.
func rowFlags(c *cli.Command, width string) *rowsAsked {
	r := &rowsAsked{}
	f := c.Group("Rows")
	about := "`WIDTH` of a row, in ns or with a unit, instead of --bins"
	if width == "" {
		f.IntVar(&r.bins, "bins", 100, "`NUMBER` of rows between minimum and maximum")
	} else {
		_ = r.width.Set(width) // a constant
		about = "`WIDTH` of a row, in ns or with a unit"
	}
	f.Var(&r.width, "bin-width", about)
	f.Var(&r.low, "min", "lower end of the first row, a `TIME` in ns or with a unit")
	f.Var(&r.high, "max", "upper end of the last row, a `TIME` (default: above all values)")
	return r
}

// histograms returns empty histograms with the rows asked for.
func (r *rowsAsked) histograms(c *cli.Command) (*histograms, error) {
	h := &histograms{min: int64(r.low), max: int64(r.high), bins: r.bins, width: int64(r.width), chosen: !c.Changed("max")}
	switch {
	case c.Changed("bins") && c.Changed("bin-width"):
		return nil, cli.Usagef("--bins and --bin-width: give one of them")
	case c.Changed("bin-width") && h.width < 1:
		return nil, cli.Usagef("--bin-width %d: must be 1 ns or more", h.width)
	case !h.chosen && h.width > 0:
		if h.max <= h.min || (h.max-h.min)%h.width != 0 || (h.max-h.min)/h.width > analysis.MaxBins {
			return nil, cli.Usagef("histogram: from %d to %d ns is no whole number of rows of %d ns, 1 to %d", h.min, h.max, h.width, analysis.MaxBins)
		}
		h.bins = int((h.max - h.min) / h.width)
	case h.width == 0 && (h.bins < 1 || h.bins > analysis.MaxBins):
		return nil, cli.Usagef("histogram: %d bins, must be 1 to %d", h.bins, analysis.MaxBins)
	}
	if !h.chosen {
		if _, err := analysis.NewLinear(h.min, h.max, h.bins); err != nil {
			return nil, cli.Usagef("%w", err)
		}
	}
	return h, nil
}

// histograms are those of all inputs, with equal rows.
type histograms struct {
	min, max int64
	bins     int
	width    int64 // 0: follows from bins
	chosen   bool  // the maximum follows from the values

	names []string
	lines []*analysis.Linear
	above []uint64 // values above the classes of an imported file
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

// read opens all paths and counts their values in rows. When the rows follow
// from the values and classes do not tell which row holds them, files are
// read a second time, value by value.
func (h *histograms) read(r *input.Reader, paths []string) ([]*recording.Recording, error) {
	if h.chosen {
		recs, err := r.Open(paths)
		if err != nil {
			return nil, err
		}
		if err := h.choose(recs); err != nil {
			return nil, err
		}
		if err := h.count(recs, nil); err != nil {
			return nil, err
		}
		exact := !slices.ContainsFunc(h.lines, func(l *analysis.Linear) bool { return l.Approximate() > 0 })
		if exact || slices.Contains(paths, input.Stdin) {
			return recs, nil
		}
	}
	var sinks []linearSink
	var sinkErr error
	r.Sink = func(path string) input.Sink {
		l, err := analysis.NewLinear(h.min, h.max, h.bins)
		if err != nil {
			sinkErr = err
			return nil
		}
		sinks = append(sinks, linearSink{path, l})
		return sinks[len(sinks)-1]
	}
	recs, err := r.Open(paths)
	if err != nil {
		return nil, err
	}
	if sinkErr != nil {
		return nil, sinkErr
	}
	return recs, h.count(recs, sinks)
}

func (h *histograms) count(recs []*recording.Recording, sinks []linearSink) error {
	h.names, h.lines, h.above = nil, nil, nil
	for _, rec := range recs {
		l, err := h.of(rec, &sinks)
		if err != nil {
			return err
		}
		above := uint64(0)
		if i := rec.Import; i != nil && i.Overflow > 0 {
			above = i.Overflow
		}
		h.names, h.lines, h.above = append(h.names, rec.Name), append(h.lines, l), append(h.above, above)
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
	if rec.Latencies() == nil {
		return nil, fmt.Errorf("histogram of %s: it holds no distribution, only figures", rec.Name)
	}
	l, err := analysis.NewLinear(h.min, h.max, h.bins)
	if err != nil {
		return nil, err
	}
	for b := range rec.Inside() {
		l.AddBucket(b)
	}
	if i := rec.Import; i != nil && i.Overflow > 0 {
		if rec.Latency.Max >= h.max || h.chosen {
			l.AddOver(i.Overflow)
		} else {
			l.AddBucket(analysis.Bucket{Low: rec.Latency.Max, High: rec.Latency.Max, Count: i.Overflow})
		}
	}
	return l, nil
}

// choose sets a maximum above all values, those above an imported file's
// classes left out, that gives rows of equal width.
func (h *histograms) choose(recs []*recording.Recording) error {
	top := h.min
	for _, r := range recs {
		for b := range r.Inside() {
			top = max(top, b.High)
		}
	}
	width, bins := uint64(h.width), uint64(h.bins)
	if h.width == 0 {
		width = (uint64(top)-uint64(h.min))/bins + 1
	} else if bins = (uint64(top)-uint64(h.min))/width + 1; bins > analysis.MaxBins {
		return fmt.Errorf("histogram: %d rows of %d ns from %d to %d ns, at most %d: give --max or a greater width", bins, width, h.min, top, analysis.MaxBins)
	}
	h.bins, h.max = int(bins), math.MaxInt64
	if span := width * bins; span/bins == width && span <= uint64(math.MaxInt64)-uint64(h.min) {
		h.max = h.min + int64(span)
	}
	return nil
}

// notes tell what the rows do not.
func (h *histograms) notes() []string {
	var notes []string
	for i, l := range h.lines {
		if n := l.Approximate(); n > 0 {
			notes = append(notes, fmt.Sprintf("%s: approximate: %d of %d values, known within 1/16384, may belong in the row before theirs", h.names[i], n, l.Count()))
		}
		if n := h.above[i]; n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d values lie above the classes of its file", h.names[i], n))
		}
	}
	return notes
}
