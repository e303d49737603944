// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"

	"siglat/analysis/recording"
)

// noMinimum is cyclictest's minimum of a thread without a single cycle.
const noMinimum = 1000000

// histograms joins rows and foot.
func (c *cyclictest) histograms() ([]*recording.Recording, error) {
	minima := c.foot["Min Latencies"]
	if c.marker && c.foot["Max Latencies"] == nil {
		return nil, c.s.errorf(c.s.line, "cut off: the foot with # Max Latencies is missing")
	}
	n := len(minima)
	if len(c.counts) > 0 && n == 0 {
		if n = len(c.counts[0]); c.lastIsSum() {
			n--
		}
	}
	if width := len(minima); len(c.counts) > 0 && width > 0 && len(c.counts[0]) != width && len(c.counts[0]) != width+1 {
		return nil, c.s.errorf(c.at["Min Latencies"], "rows of %d counts, the foot is of %d threads", len(c.counts[0]), width)
	}
	for _, key := range cyclicFoot {
		if v := c.foot[key]; v != nil && len(v) < n {
			return nil, c.s.errorf(c.at[key], "# %s tells of %d threads, not of %d", key, len(v), n)
		}
	}
	var cs []*column
	for i := range n {
		col, err := c.thread(i)
		if err != nil {
			return nil, err
		}
		cs = append(cs, col)
	}
	return c.s.columns("cyclictest", cs)
}

// lastIsSum tells whether the last column adds up the others in all rows, as
// -H writes it.
func (c *cyclictest) lastIsSum() bool {
	last := len(c.counts[0]) - 1
	if last == 0 {
		return false
	}
	any := false
	for _, row := range c.counts {
		sum := uint64(0)
		for _, v := range row[:last] {
			sum += v
		}
		if sum != row[last] {
			return false
		}
		any = any || sum > 0
	}
	return any
}

func (c *cyclictest) thread(i int) (*column, error) {
	col := &column{name: fmt.Sprintf("thread%d", i), binNS: c.unit}
	sum := uint64(0)
	for r, row := range c.counts {
		col.bins = append(col.bins, bin{c.labels[r], row[i]})
		sum += row[i]
	}
	if total := c.foot["Total"]; total != nil && uint64(total[i]) != sum {
		return nil, c.s.errorf(c.at["Total"], "thread %d: its rows hold %d values, # Total says %d", i, sum, total[i])
	}
	if over := c.foot["Histogram Overflows"]; over != nil {
		if over[i] < 0 {
			return nil, c.s.errorf(c.at["Histogram Overflows"], "thread %d: %d values above the last class", i, over[i])
		}
		n := uint64(over[i])
		col.overflow = &n
	} else {
		col.warnf("no foot")
		col.openEnd()
	}
	empty := sum == 0 && (col.overflow == nil || *col.overflow == 0)
	if minima := c.foot["Min Latencies"]; empty || minima != nil && minima[i] == noMinimum && sum == 0 {
		return col, nil
	}
	for key, to := range map[string]**int64{"Min Latencies": &col.min, "Max Latencies": &col.max} {
		if v := c.foot[key]; v != nil {
			ns, err := times(v[i], c.unit)
			if err != nil {
				return nil, c.s.errorf(c.at[key], "thread %d: %w", i, err)
			}
			*to = &ns
		}
	}
	if v := c.foot["Avg Latencies"]; v != nil {
		mean := float64(v[i]) * float64(c.unit)
		col.mean = &mean
	}
	return col, nil
}

// times returns v*unit, in ns.
func times(v, unit int64) (int64, error) {
	ns := v * unit
	if ns/unit != v {
		return 0, fmt.Errorf("%d is out of range", v)
	}
	return ns, nil
}
