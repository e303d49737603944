// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"siglat/analysis/export"
	"siglat/analysis/recording"
)

// JSON of rt-tests (cyclictest, sigwaittest, ptsematest, signaltest, oslat),
// jitterdebugger's results.json and what sigreport export writes. The numbers
// that tell entries apart are those of threads, not of CPUs.

func sniffJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 0 && head[0] == '{' && (bytes.Contains(head, []byte(`"file_version"`)) || bytes.Contains(head, []byte(`"schema"`)) ||
		bytes.Contains(head, []byte(`"cpu"`)) || bytes.Contains(head, []byte(`"thread"`)))
}

type toolJSON struct {
	export.File
	FileVersion *int                  `json:"file_version"`
	Command     string                `json:"cmdline:"`
	Nanoseconds int                   `json:"resolution_in_ns"`
	Thread      map[string]threadJSON `json:"thread"`
	CPU         map[string]threadJSON `json:"cpu"`
	Sysinfo     struct {
		Resolution int64 `json:"resolution_in_ns"`
	} `json:"sysinfo"`
}

type threadJSON struct {
	Histogram map[string]uint64 `json:"histogram"`
	Cycles    *uint64           `json:"cycles"`
	Count     *uint64           `json:"count"`
	Samples   *uint64           `json:"samples"`
	Min       *json.Number      `json:"min"`
	Max       *json.Number      `json:"max"`
	Avg       *json.Number      `json:"avg"`
	Duration  *float64          `json:"duration"`
	Freq      *float64          `json:"freq"`
	Sender    *threadJSON       `json:"sender"`
	Receiver  *threadJSON       `json:"receiver"`

	classed bool // a thread of the file has classes: cyclictest prints none without -h, too
}

func readJSON(s *source) ([]*recording.Recording, error) {
	var f toolJSON
	if err := s.decode(&f); err != nil {
		return nil, err
	}
	format, within, unit, threads := "rt-tests", "thread", int64(1000), f.Thread
	switch {
	case f.Schema == export.Schema:
		return readOwnJSON(s, &f.File)
	case f.CPU != nil:
		format, within, threads = "jitterdebugger", "cpu", f.CPU
		if f.Sysinfo.Resolution > 0 {
			unit = f.Sysinfo.Resolution
		}
	case f.FileVersion == nil:
		return nil, s.errorf(1, "JSON of no known tool: neither file_version nor cpu")
	case *f.FileVersion != 1:
		return nil, s.errorf(s.jsonLine("file_version"), "file_version %d, known is 1", *f.FileVersion)
	case f.Nanoseconds != 0:
		unit = 1
	}
	unit = s.unitOr(unit)
	names := slices.Collect(maps.Keys(threads))
	byNumber(names)
	classed := slices.ContainsFunc(names, func(name string) bool { return len(threads[name].Histogram) > 0 })
	var cs []*column
	for _, name := range names {
		t := threads[name]
		t.classed = classed
		c := &column{name: "thread" + name, binNS: unit, line: func() int { return s.jsonLine(within, name) }}
		if err := t.column(c, unit); err != nil {
			return nil, s.errorf(c.line(), "thread %s: %w", name, err)
		}
		cs = append(cs, c)
	}
	return s.columns(format, cs)
}

func (t *threadJSON) column(c *column, unit int64) error {
	from := t
	if t.Receiver != nil {
		from = t.Receiver
		if t.Sender != nil {
			t.Samples = t.Sender.Samples
		}
	}
	for _, n := range []*uint64{from.Cycles, from.Count, t.Samples} {
		if n != nil {
			c.count = n
			break
		}
	}
	if err := from.classes(c, unit); err != nil {
		return err
	}
	figures := from.figureUnit(unit)
	if c.count != nil && *c.count == 0 || from.none() {
		return nil
	}
	for _, f := range []struct {
		text *json.Number
		to   **int64
	}{{from.Min, &c.min}, {from.Max, &c.max}} {
		if f.text == nil {
			continue
		}
		ns, err := scaled(f.text.String(), figures)
		if err != nil {
			return err
		}
		*f.to = &ns
	}
	if from.Avg != nil {
		avg, err := strconv.ParseFloat(from.Avg.String(), 64)
		if err != nil {
			return fmt.Errorf("average %.40q is not a number", from.Avg.String())
		}
		avg *= float64(unit)
		c.mean = &avg
	}
	if from.Freq != nil && len(c.bins) > 0 {
		c.openLast()
	}
	return nil
}

// figureUnit is that of minimum and maximum. With classes that are no whole
// µs oslat prints them in ns, unlike the classes and the mean.
func (t *threadJSON) figureUnit(unit int64) int64 {
	for label := range t.Histogram {
		if t.Freq != nil && unit >= 1000 && strings.Contains(label, ".") {
			return unit / 1000
		}
	}
	return unit
}

// openLast takes the values of oslat's last class for overflow where the
// maximum lies above it. A class's label is its upper end, not included; what
// is beyond the last class counts in it, how much of it that is, the file
// does not tell.
func (c *column) openLast() {
	last := &c.bins[len(c.bins)-1]
	over := uint64(0)
	if c.max == nil || *c.max >= last.ns {
		over, last.n = last.n, 0
		c.warnf("the last class, %d ns, is open: its values lie between it and the maximum", last.ns)
	}
	c.overflow = &over
}

// none tells of a minimum that stands for no value at all: -1, or 1000000
// above the maximum.
func (t *threadJSON) none() bool {
	if t.Min == nil {
		return false
	}
	lowest, err := strconv.ParseFloat(t.Min.String(), 64)
	if err != nil || lowest < 0 {
		return err == nil
	}
	highest := 0.0
	if t.Max != nil {
		highest, _ = strconv.ParseFloat(t.Max.String(), 64)
	}
	return lowest == noMinimum && highest < lowest
}

func (t *threadJSON) classes(c *column, unit int64) error {
	sum := uint64(0)
	for label, n := range t.Histogram {
		ns, err := scaled(strings.TrimSpace(label), unit)
		if err != nil {
			return fmt.Errorf("class %w", err)
		}
		c.bins = append(c.bins, bin{ns, n})
		sum += n
	}
	slices.SortFunc(c.bins, func(a, b bin) int {
		if a.ns < b.ns {
			return -1
		}
		return 1
	})
	switch {
	case t.Freq != nil && len(c.bins) > 0: // oslat has no other count
		c.count = &sum
	case t.classed && t.Histogram != nil && sum == 0:
		c.overflow = c.count
	}
	return nil
}
