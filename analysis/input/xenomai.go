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

// Xenomai's latency -g: "centre, count + 1" of each class in µs, between two
// fence posts "edge 1". EVL's latmus -g: comments "key: value", then "µs
// count" with a + where values beyond the last class were counted in it.

func sniffXenomai(head []byte) bool {
	return head[0] == '#' && bytes.Contains(head, []byte("lat min|")) && !bytes.Contains(head, []byte("RTH|"))
}

var graphFigures = regexp.MustCompile(`^#\s*(-?[\d.]+)\|\s*(-?[\d.]+)\|\s*(-?[\d.]+)\|\s*(\d+)\|\s*(\d+)\|`)

func readXenomai(s *source) ([]*recording.Recording, error) {
	c := &column{}
	unit := s.unitOr(1000)
	rows, err := s.graph(c, unit, 1, func(line string) error {
		m := graphFigures.FindStringSubmatch(line)
		if m == nil {
			return nil
		}
		for i, key := range []string{"min:", "avg:", "max:"} {
			if err := c.figure(key, m[i+1], unit); err != nil {
				return err
			}
		}
		if m[4] != "0" {
			c.warnf("%s overruns", m[4])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(rows) < 3 || rows[0].n != 1 || rows[len(rows)-1].n != 1 {
		return nil, s.errorf(s.line, "cut off: its first and last row must be fence posts with 1")
	}
	c.bins = rows[1 : len(rows)-1]
	for i := range c.bins {
		c.bins[i].n--
	}
	c.binNS = unit
	if len(c.bins) > 1 {
		c.binNS = c.bins[1].ns - c.bins[0].ns
	}
	c.closed()
	return s.columns("xenomai", []*column{c})
}

// closed notes that overflow stands in the last class.
func (c *column) closed() {
	zero := uint64(0)
	c.overflow = &zero
	if last := c.bins[len(c.bins)-1]; last.n > 0 {
		c.warnf("the %d values of the last class, %d ns, may lie above it", last.n, last.ns)
	}
}

// graph reads rows of two numbers, the second of which has a least value;
// comment gets the lines with #.
func (s *source) graph(c *column, unit int64, least uint64, comment func(string) error) ([]bin, error) {
	var rows []bin
	err := s.eachLine(func(line string, _ bool) error {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			return nil
		case line[0] == '#':
			return comment(line)
		}
		f := strings.Fields(strings.ReplaceAll(line, "+", " "))
		if len(f) != 2 {
			return fmt.Errorf("%s is no row of latency and count", quoted(line))
		}
		ns, err := scaled(f[0], unit)
		if err != nil {
			return err
		}
		if len(rows) > 0 && ns <= rows[len(rows)-1].ns {
			return fmt.Errorf("latency %s does not ascend", f[0])
		}
		n, err := strconv.ParseUint(f[1], 10, 64)
		if err != nil {
			return fmt.Errorf("%s is no count", quoted(f[1]))
		}
		if n < least {
			return fmt.Errorf("a count of %d: counts are written one higher", n)
		}
		if strings.Contains(line, "+") {
			c.warnf("values above %d ns count in the last class", ns)
		}
		rows = append(rows, bin{ns, n})
		return nil
	})
	return rows, err
}

var latmusKey = regexp.MustCompile(`(?m)^# (peak|min latency|sampling period|clock gravity|C-state)`)

func sniffLatmus(head []byte) bool {
	return head[0] == '#' && latmusKey.Match(head) && !bytes.Contains(head, []byte("lat min|"))
}

func readLatmus(s *source) ([]*recording.Recording, error) {
	c := &column{}
	unit := s.unitOr(1000)
	keys := map[string]string{"min latency": "min:", "avg latency": "avg:", "max latency": "max:", "min": "min:", "avg": "avg:", "max": "max:", "sample count": "count:"}
	rows, err := s.graph(c, unit, 0, func(line string) error {
		key, value, ok := strings.Cut(strings.TrimLeft(line, "# "), ":")
		if ok && keys[key] != "" {
			value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
			return c.figure(keys[key], value, unit)
		}
		if strings.HasPrefix(key, "peak") {
			c.warnf("the peak came %s after the start", strings.TrimSpace(value))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, s.errorf(s.line, "cut off: no rows of latency and count")
	}
	c.bins, c.binNS = rows, unit
	if c.count == nil {
		c.closed()
	}
	return s.columns("latmus", []*column{c})
}
