// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"siglat/analysis/export"
	"siglat/analysis/recording"
)

// What sigreport export writes as CSV: see package export.

func sniffCSV(head []byte) bool { return firstLine(head) == export.CSVHeader }

// A histogramReader collects histograms whose rows come in any order of their
// names.
type histogramReader struct {
	cols []*column
	of   map[string]*histogramPart
}

// A histogramPart is what was read of one histogram until now.
type histogramPart struct {
	c     *column
	unit  int64
	next  int64 // lower end that the next class must have
	rows  bool  // under was there
	ended bool  // over was there
}

func (h *histogramReader) part(name string, unit int64) *histogramPart {
	if p := h.of[name]; p != nil {
		return p
	}
	p := &histogramPart{c: &column{name: name}, unit: unit}
	h.cols, h.of[name] = append(h.cols, p.c), p
	return p
}

func readCSV(s *source) ([]*recording.Recording, error) {
	r := csv.NewReader(s.in)
	r.FieldsPerRecord, r.ReuseRecord = 5, true
	h := histogramReader{of: map[string]*histogramPart{}}
	for n := 0; ; n++ {
		f, err := r.Read()
		if err == io.EOF {
			break
		}
		line, _ := 1, 0
		if err == nil {
			line, _ = r.FieldPos(0)
			s.line = line
			if n > 0 {
				err = h.part(f[0], s.unitOr(1)).row(f[1], f[2], f[3], f[4])
			} else if f[0] != "name" || f[4] != "value" {
				err = fmt.Errorf("the first line is not %s", export.CSVHeader)
			}
		}
		var wrong *csv.ParseError
		switch {
		case errors.As(err, &wrong):
			return nil, s.errorf(wrong.Line, "%w", wrong.Err)
		case err != nil:
			return nil, s.errorf(line, "%w", err)
		}
	}
	return h.done(s, "csv")
}

// done returns all histograms, which must be whole.
func (h *histogramReader) done(s *source, format string) ([]*recording.Recording, error) {
	for _, c := range h.cols {
		if p := h.of[c.name]; !p.ended {
			return nil, s.errorf(s.line, "cut off: no row over of %s", quoted(c.name))
		}
	}
	return s.columns(format, h.cols)
}

// row takes one row of CSV.
func (p *histogramPart) row(kind, low, high, value string) error {
	switch kind {
	case "count", "min", "mean", "stddev", "max":
		return p.figure(kind, value)
	case "under", "class", "over":
		return p.class(kind, low, high, value)
	}
	return fmt.Errorf("row %s is none of count, min, mean, stddev, max, under, class, over", quoted(kind))
}

func (p *histogramPart) figure(kind, value string) error {
	switch {
	case value == "":
		return nil // not known
	case kind == "count" || kind == "min" || kind == "max":
		return p.c.figure(kind+":", value, p.unit)
	}
	f, err := strconv.ParseFloat(value, 64)
	if f *= float64(p.unit); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%s %s is not a number", kind, quoted(value))
	}
	if kind == "mean" {
		p.c.mean = &f
	} else {
		p.c.stddev = &f
	}
	return nil
}

func (p *histogramPart) class(kind, low, high, value string) error {
	if p.ended {
		return fmt.Errorf("a row after over of %s", quoted(p.c.name))
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil && (value != "" || kind != "over") {
		return fmt.Errorf("%s is no count", quoted(value))
	}
	if kind == "under" {
		to, err := scaled(high, p.unit)
		if err != nil || p.rows || low != "" {
			return fmt.Errorf("under: wrong, or not the first class of %s", quoted(p.c.name))
		}
		p.rows, p.next = true, to
		return p.c.below(n, to)
	}
	from, err := scaled(low, p.unit)
	if err != nil || !p.rows || from != p.next {
		return fmt.Errorf("%s from %s: the class before ends at %d ns", kind, quoted(low), p.next)
	}
	if kind == "over" {
		p.ended = true
		if value == "" {
			p.c.openEnd()
		} else {
			p.c.overflow = &n
		}
		return nil
	}
	to, err := scaled(high, p.unit)
	if err != nil || to <= from {
		return fmt.Errorf("class from %s to %s", quoted(low), quoted(high))
	}
	if p.c.binNS == 0 {
		p.c.binNS = to - from
	}
	p.next = to
	p.c.bins = append(p.c.bins, bin{from, n})
	return nil
}

// below counts n values that are known to be less than ns.
func (c *column) below(n uint64, ns int64) error {
	if n == 0 {
		return nil
	}
	if ns == math.MinInt64 {
		return fmt.Errorf("%d values below the lowest number", n)
	}
	c.warnf("%d values lie below the first class: they count at its lower end", n)
	c.bins = append(c.bins, bin{ns - 1, n})
	return nil
}

// openEnd notes that nothing is known of values above the classes.
func (c *column) openEnd() {
	c.warnf("the values above the last class, their number and the maximum are not told")
}
