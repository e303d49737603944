// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"siglat/analysis/recording"
)

// rtla timerlat hist and rtla osnoise hist, as tools/tracing/rtla prints
// them: a header, rows "lower end, count of each context and CPU", and rows
// over:, count:, min:, avg:, max:, where - stands for none.

var rtlaSummary = regexp.MustCompile(`(?m)^(over|count):\s`)

func sniffRTLA(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("# RTLA")) || strings.HasPrefix(firstLine(head), "Index ") ||
		(rtlaSummary.Match(head) && !bytes.Contains(head, []byte("|")))
}

type rtla struct {
	s        *source
	counts   func() int // the line of the counts
	unit     int64
	names    []string
	cols     []*column
	seen     map[string]bool
	all      bool // within the block that repeats the figures of all CPUs
	warnings []string
	last     int64
}

func readRTLA(s *source) ([]*recording.Recording, error) {
	r := &rtla{s: s, unit: s.unitOr(1000), seen: map[string]bool{}, last: -1}
	fixed := s.unit > 0
	err := s.eachLine(func(line string, _ bool) error {
		if !fixed && strings.HasPrefix(line, "# Time unit is nanoseconds") {
			r.unit = 1
		}
		return r.line(strings.TrimSpace(line))
	})
	if err != nil {
		return nil, err
	}
	if !r.seen["over:"] && !s.forced {
		return nil, s.errorf(s.line, "cut off: no row over: (if written with --no-summary, give --format rtla)")
	}
	if r.seen["over:"] && len(r.cols) > 0 && !r.seen["max:"] {
		return nil, s.errorf(s.line, "cut off: row over: is not followed by max:, as it should be")
	}
	if len(r.cols) == 0 {
		return nil, fmt.Errorf("read %s: empty: no CPU had a sample", s.path)
	}
	width := r.width()
	for i, c := range r.cols {
		c.binNS, c.line = width, r.counts
		c.name = fmt.Sprintf("column%d", i)
		if i < len(r.names) {
			c.name = r.names[i]
		}
		c.warnings = append(c.warnings, r.warnings...)
		if !r.seen["over:"] {
			c.warnf("no summary: the values above the last class and the maximum are not told")
		}
	}
	return s.columns("rtla", r.cols)
}

// width is the smallest distance of two rows.
func (r *rtla) width() int64 {
	w := int64(0)
	bins := r.cols[0].bins
	for i := 1; i < len(bins); i++ {
		if d := bins[i].ns - bins[i-1].ns; w == 0 || d < w {
			w = d
		}
	}
	return max(w, r.unit)
}

func (r *rtla) line(text string) error {
	f := strings.Fields(text)
	switch {
	case text == "" || text[0] == '#':
		return nil
	case f[0] == "Index":
		if r.names != nil {
			return fmt.Errorf("a second header in one file")
		}
		r.names = f[1:]
		return nil
	case strings.Contains(text, "events missed"):
		r.warnings = append(r.warnings, text)
		return nil
	case f[0] == "ALL:":
		r.all = true
		return nil
	case r.all:
		return nil
	case strings.HasSuffix(f[0], ":"):
		if f[0] == "count:" {
			r.counts = r.s.here()
		}
		return r.summary(f[0], f[1:])
	}
	return r.row(f)
}

func (r *rtla) widen(n int) error {
	if r.names != nil && len(r.names) != n {
		return fmt.Errorf("%d counts, the header names %d columns", n, len(r.names))
	}
	if r.cols == nil {
		for range n {
			r.cols = append(r.cols, &column{})
		}
	}
	if len(r.cols) != n {
		return fmt.Errorf("%d counts, the rows before have %d", n, len(r.cols))
	}
	return nil
}

func (r *rtla) row(f []string) error {
	label, err := scaled(f[0], r.unit)
	if err != nil {
		return fmt.Errorf("%s is no line of rtla's", quoted(strings.Join(f, " ")))
	}
	if r.seen["over:"] || len(f) < 2 {
		return fmt.Errorf("%s is no row of class and counts", quoted(strings.Join(f, " ")))
	}
	if label <= r.last {
		return fmt.Errorf("class %s does not ascend: rows without index cannot be read", f[0])
	}
	r.last = label
	if err := r.widen(len(f) - 1); err != nil {
		return err
	}
	for i, t := range f[1:] {
		n, err := strconv.ParseUint(t, 10, 64)
		if err != nil {
			return fmt.Errorf("%s is no count", quoted(t))
		}
		r.cols[i].bins = append(r.cols[i].bins, bin{label, n})
	}
	return nil
}

func (r *rtla) summary(key string, f []string) error {
	r.seen[key] = true
	if r.names != nil && len(r.names) == 0 || len(r.cols) == 0 && r.names == nil && len(f) == 1 && f[0] == "0" {
		return nil // a run without samples
	}
	if err := r.widen(len(f)); err != nil {
		return err
	}
	for i, t := range f {
		if t == "-" {
			continue
		}
		if err := r.cols[i].figure(key, t, r.unit); err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
	}
	return nil
}

// figure takes one figure of a summary.
func (c *column) figure(key, text string, unit int64) error {
	switch key {
	case "over:", "count:":
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%s is no count", quoted(text))
		}
		if key == "over:" {
			c.overflow = &n
		} else {
			c.count = &n
		}
	case "min:", "max:", "avg:":
		ns, err := scaled(text, unit)
		if err != nil {
			return err
		}
		mean := float64(ns)
		switch key {
		case "min:":
			c.min = &ns
		case "max:":
			c.max = &ns
		default:
			c.mean = &mean
		}
	}
	return nil
}
