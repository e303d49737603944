// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// A column is what a file tells of one thread, CPU or context. A figure that
// the file does not tell is nil.
type column struct {
	name     string // appended to the file's name after a colon; empty for a file of one
	bins     []bin
	binNS    int64
	count    *uint64 // all values, overflow included
	overflow *uint64 // values above the last class
	min, max *int64
	mean     *float64 // ns
	stddev   *float64 // ns; that of the classes without
	warnings []string
	line     func() int // where the file tells the count; nil for its last line
}

// A bin stands for n values of the class that the file labels ns.
type bin struct {
	ns int64
	n  uint64
}

func (c *column) warnf(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// recording turns c into a recording. It fails when the figures contradict
// each other.
func (s *source) column(format string, c *column) (*recording.Recording, error) {
	rec := &recording.Recording{Path: s.arg, Dist: map[string]*analysis.Distribution{}}
	rec.Name, rec.Import = s.name, &recording.Import{Format: format, BinNS: c.binNS}
	if c.name != "" {
		rec.Name += ":" + c.name
	}
	// Rows of a file that somebody has edited may be out of order.
	slices.SortStableFunc(c.bins, func(a, b bin) int { return cmp.Compare(a.ns, b.ns) })
	sum := uint64(0)
	for _, b := range c.bins {
		var carry uint64
		if sum, carry = bits.Add64(sum, b.n, 0); carry != 0 {
			return nil, fmt.Errorf("%s: its counts add up to more than 64 bits", rec.Name)
		}
	}
	if err := c.settle(sum); err != nil {
		return nil, fmt.Errorf("%s: %w", rec.Name, err)
	}
	rec.Import.OverflowOpen = c.overflow == nil && sum > 0
	rec.Import.MinOpen = c.min == nil && sum == 0
	if c.overflow != nil {
		rec.Import.Overflow = *c.overflow
	}
	for _, b := range c.bins {
		if b.n > 0 {
			rec.Import.Classes = append(rec.Import.Classes, analysis.Bucket{Low: b.ns, High: b.ns, Count: b.n})
		}
	}
	d := c.distribution()
	if d.Count() > 0 {
		rec.Dist[recording.SegmentLatency] = d
		rec.Latency = d.Summary()
		rec.Latency.Stddev = c.spread(d)
		c.quantiles(&rec.Latency)
	} else {
		c.figuresOnly(rec)
	}
	c.exact(&rec.Latency)
	rec.Counts.Received = rec.Latency.Count
	rec.Warnings = c.warnings
	return rec, nil
}

// settle derives count and overflow from each other.
func (c *column) settle(sum uint64) error {
	switch {
	case c.count == nil && c.overflow != nil:
		n, carry := bits.Add64(sum, *c.overflow, 0)
		if carry != 0 {
			return fmt.Errorf("its counts add up to more than 64 bits")
		}
		c.count = &n
	case c.count != nil && sum > *c.count:
		return fmt.Errorf("its classes hold %d values, its count says %d", sum, *c.count)
	case c.count != nil && (sum > 0 || c.overflow != nil):
		over := *c.count - sum
		if c.overflow != nil && *c.overflow != over {
			return fmt.Errorf("its classes hold %d values and %d lie above, its count says %d", sum, *c.overflow, *c.count)
		}
		c.overflow = &over
	}
	return nil
}

// distribution counts overflow at the maximum, so that no quantile is
// understated.
func (c *column) distribution() *analysis.Distribution {
	d := analysis.NewDistribution()
	top := int64(0)
	for _, b := range c.bins {
		d.RecordN(b.ns, b.n)
		if b.n > 0 {
			top = max(top, b.ns)
		}
	}
	switch {
	case c.overflow == nil || *c.overflow == 0 || c.max == nil && len(c.bins) == 0:
		return d
	case c.max != nil:
		c.warnf("%d of %d values lie above the classes: they count at the maximum, quantiles there are upper bounds", *c.overflow, *c.count)
		top = max(*c.max, top)
	default:
		c.warnf("%d of %d values lie above the classes and the maximum is not told: quantiles there are lower bounds", *c.overflow, *c.count)
		last := c.bins[len(c.bins)-1].ns
		top = last + min(c.binNS, math.MaxInt64-max(last, 0))
	}
	c.bins = append(c.bins, bin{top, *c.overflow})
	d.RecordN(top, *c.overflow)
	return d
}

// quantiles are the labels of the classes, not rounded to those of d.
func (c *column) quantiles(l *analysis.Summary) {
	for q, to := range map[float64]*int64{0.5: &l.P50, 0.9: &l.P90, 0.99: &l.P99, 0.999: &l.P999, 0.9999: &l.P9999} {
		rank := analysis.Rank(q, l.Count)
		for _, b := range c.bins {
			if *to = b.ns; b.n >= rank {
				break
			}
			rank -= b.n
		}
	}
}

// spread is the standard deviation of the classes; with values of unknown size
// there is none.
func (c *column) spread(d *analysis.Distribution) float64 {
	if c.overflow != nil && *c.overflow > 0 {
		return math.NaN()
	}
	return d.Stddev()
}

// figuresOnly fills rec without classes.
func (c *column) figuresOnly(rec *recording.Recording) {
	rec.Latency.Mean, rec.Latency.Stddev = math.NaN(), math.NaN()
	if c.count != nil {
		rec.Latency.Count = *c.count
	} else if c.min != nil || c.max != nil {
		rec.Import.CountOpen = true
		c.warnf("the number of values is not told")
	}
	if c.min == nil && c.max == nil {
		rec.Latency.Count = 0
		c.warnf("no values")
		return
	}
	c.warnf("no distribution in this file: only minimum, mean and maximum, no quantiles")
}

// exact replaces figures of classes by the file's own, which are finer.
func (c *column) exact(l *analysis.Summary) {
	if c.mean != nil {
		l.Mean = *c.mean
	}
	if c.stddev != nil {
		l.Stddev = *c.stddev
	}
	if c.min != nil && c.max != nil && *c.min > *c.max {
		c.warnf("its minimum %d ns is above its maximum %d ns", *c.min, *c.max)
	}
	if c.max != nil && len(c.bins) > 0 && l.Count > 0 {
		if l.Max > *c.max+c.binNS {
			c.warnf("its classes reach %d ns, its maximum says %d ns", l.Max, *c.max)
		}
		if c.overflow != nil && *c.overflow == 0 && *c.max-c.binNS > l.Max {
			c.warnf("its classes end at %d ns, its maximum says %d ns: classes are missing", l.Max, *c.max)
		}
		for _, q := range []*int64{&l.P50, &l.P90, &l.P99, &l.P999, &l.P9999} {
			*q = min(*q, *c.max)
		}
	}
	if c.min != nil {
		l.Min = *c.min
	}
	if c.max != nil {
		l.Max = *c.max
	}
}

func (s *source) columns(format string, cs []*column) ([]*recording.Recording, error) {
	var out []*recording.Recording
	for _, c := range cs {
		rec, err := s.column(format, c)
		if err != nil {
			line := s.line
			if c.line != nil {
				line = c.line()
			}
			return nil, s.errorf(line, "%w", err)
		}
		out = append(out, rec)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	return out, nil
}

// scaled parses a decimal number and returns it in ns; unit is ns per 1.
func scaled(text string, unit int64) (int64, error) {
	whole, frac, point := strings.Cut(text, ".")
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		if hi, lo := bits.Mul64(abs(v), uint64(unit)); hi != 0 || lo > math.MaxInt64 {
			return 0, fmt.Errorf("%.40q is out of range", text)
		}
		return v * unit, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !point || whole == "" || frac == "" || !(math.Abs(f*float64(unit)) < 1<<62) {
		return 0, fmt.Errorf("%.40q is not a number", text)
	}
	return int64(math.Round(f * float64(unit))), nil
}

func abs(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// byNumber orders names such as thread0, thread10 by their number.
func byNumber(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX == nil && errY == nil {
			return x - y
		}
		return strings.Compare(a, b)
	})
}
