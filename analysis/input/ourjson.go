// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"math"
	"strconv"

	"siglat/analysis/export"
	"siglat/analysis/recording"
)

// readOwnJSON reads what sigreport export writes as JSON: see package export.
func readOwnJSON(s *source, f *export.File) ([]*recording.Recording, error) {
	if f.Version != export.Version {
		return nil, s.errorf(s.jsonLine("version"), "version %d of schema %s, known is %d", f.Version, f.Schema, export.Version)
	}
	var cs []*column
	for i := range f.Histograms {
		e := &f.Histograms[i]
		c := &column{name: e.Name, binNS: e.WidthNS, overflow: e.Over, line: func() int { return s.jsonLine("histograms", strconv.Itoa(i)) }}
		if err := ownEntry(c, e); err != nil {
			return nil, s.errorf(c.line(), "histogram %s: %w", quoted(e.Name), err)
		}
		cs = append(cs, c)
	}
	return s.columns("json", cs)
}

func ownEntry(c *column, e *export.Entry) error {
	l := &e.Latency
	if e.Over == nil {
		c.openEnd()
	} else {
		c.count = &l.Count
	}
	if l.Count > 0 {
		if c.min = &l.Min; e.Over != nil {
			c.max = &l.Max
		}
		if !math.IsNaN(l.Mean) {
			c.mean = &l.Mean
		}
		if !math.IsNaN(l.Stddev) {
			c.stddev = &l.Stddev
		}
	}
	if e.WidthNS < 1 || e.FromNS >= e.ToNS {
		return fmt.Errorf("classes of %d ns from %d to %d ns", e.WidthNS, e.FromNS, e.ToNS)
	}
	if err := c.below(e.Under, e.FromNS); err != nil {
		return err
	}
	last := int64(math.MinInt64)
	for _, k := range e.Classes {
		if k.LowNS < e.FromNS || k.LowNS >= e.ToNS || k.LowNS <= last {
			return fmt.Errorf("class from %d ns lies outside or does not ascend", k.LowNS)
		}
		last = k.LowNS
		c.bins = append(c.bins, bin{k.LowNS, k.Count})
	}
	return nil
}
