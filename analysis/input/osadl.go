// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"siglat/analysis/recording"
)

// latency_hist of the PREEMPT_RT patches: a file for each CPU with the
// classes, and one with the task that met the maximum.

var (
	histHead = regexp.MustCompile(`^#(Minimum|Average|Maximum) latency:\s*(\S+)`)
	histOut  = regexp.MustCompile(`^#There (?:are|is)\s+(\d+)\s+samples?\s+(lower|greater)`)
	histAll  = regexp.MustCompile(`^#Total samples:\s*(\d+)`)
	maxTask  = regexp.MustCompile(`^\s*\d+\s+-?\d+\s+(-?\d+)\s+\(\s*-?\d+\)\s+.*<-\s+\d+\s+-?\d+\s+.*\s\d+\.\d+\s*$`)
)

func sniffLatencyHist(head []byte) bool { return histHead.MatchString(firstLine(head)) }

func readLatencyHist(s *source) ([]*recording.Recording, error) {
	c, unit := &column{}, s.unitOr(1000)
	titled := false
	below := uint64(0)
	rows, err := s.graph(c, unit, 0, func(line string) error {
		if m := histHead.FindStringSubmatch(line); m != nil && m[2] != "<undef>" {
			return c.figure(map[string]string{"Minimum": "min:", "Average": "avg:", "Maximum": "max:"}[m[1]], m[2], unit)
		}
		if m := histOut.FindStringSubmatch(line); m != nil {
			n, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				return fmt.Errorf("%s is no count", quoted(m[1]))
			}
			if m[2] == "lower" {
				below = n
			} else {
				c.overflow = &n
			}
		}
		if m := histAll.FindStringSubmatch(line); m != nil {
			c.line = s.here()
			return c.figure("count:", m[1], unit)
		}
		titled = titled || strings.HasPrefix(line, "#usecs")
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !titled {
		return nil, s.errorf(s.line, "cut off: no line #usecs samples")
	}
	if below > 0 && len(rows) > 0 {
		at := rows[0].ns - unit
		if c.min != nil {
			at = min(at, *c.min)
		}
		c.warnf("%d values lie below the first class: they count at %d ns", below, at)
		rows = append([]bin{{at, below}}, rows...)
	}
	c.bins, c.binNS = rows, unit
	if c.overflow != nil && c.count != nil {
		// The total of the kernel's file leaves out what lies outside.
		inside := uint64(0)
		for _, b := range rows {
			inside += b.n
		}
		if inside+*c.overflow != *c.count && inside-below == *c.count {
			c.count = nil
		}
	}
	return s.columns("latency_hist", []*column{c})
}

func sniffMaxLatency(head []byte) bool {
	first := firstLine(head)
	return maxTask.MatchString(first) || strings.TrimSpace(first) == "(none)"
}

func readMaxLatency(s *source) ([]*recording.Recording, error) {
	c, unit := &column{}, s.unitOr(1000)
	err := s.eachLine(func(line string, _ bool) error {
		line = strings.TrimSpace(line)
		if line == "" || line == "(none)" {
			return nil
		}
		m := maxTask.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("%s is no task with its latency", quoted(line))
		}
		c.warnf("the maximum: %s", line)
		return c.figure("max:", m[1], unit)
	})
	if err != nil {
		return nil, err
	}
	return s.columns("latency_hist", []*column{c})
}
