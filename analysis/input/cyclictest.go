// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// cyclictest's text, as its print_hist, print_stat and histfile write it:
// rows "class count..." with a column for each thread, a last one with their
// sum under -H, and a foot of comments. The unit, µs or ns under -N, is not
// told. The same rows alone are OSADL's plot data.

var (
	cyclicRow    = regexp.MustCompile(`^\d{6,} \d{6,}([ \t]\d{6,})*[ \t]*$`)
	cyclicStatus = regexp.MustCompile(`^T: *(\d+) \( *\d+\) P: *\d+ I: *\d+ C: *(\d+) Min: *(-?\d+) Act: *-?\d+ Avg: *(-?\d+) Max: *(-?\d+)`)
	cyclicSample = regexp.MustCompile(`^ *(\d+): *(\d+): *(-?\d+)(?: +\d+)?$`) // --smi adds a count
)

// cyclicTalk starts the lines that cyclictest prints beside its figures.
var cyclicTalk = []string{"policy:", "WARN", "INFO", "Max CPUs", "Online CPUs", "Thread ", "spikes", "/dev/cpu_dma_latency", "# /dev/cpu_dma_latency", "Using ", "could not", "FATAL"}

func talks(line string) bool {
	return slices.ContainsFunc(cyclicTalk, func(known string) bool { return strings.HasPrefix(line, known) })
}

func sniffCyclictest(head []byte) bool {
	lines := strings.Split(string(ansi.ReplaceAll(head, nil)), "\n")
	first := firstLine(ansi.ReplaceAll(head, nil))
	// What it says before a sample or a status line.
	for _, line := range lines[:min(len(lines), 100)] {
		if line = strings.TrimRight(line, "\r"); line != "" && !talks(line) {
			first = line
			break
		}
	}
	if cyclicRow.MatchString(first) || cyclicStatus.MatchString(first) || cyclicSample.MatchString(first) {
		return true
	}
	return bytes.Contains(head, []byte("# Histogram\n")) || bytes.Contains(head, []byte("# Histogram\r\n")) ||
		strings.Contains(first, "/dev/cpu_dma_latency set to") || strings.HasPrefix(first, "policy: ")
}

type cyclictest struct {
	s       *source
	unit    int64
	marker  bool // "# Histogram" was there
	labels  []int64
	counts  [][]uint64 // per row
	foot    map[string][]int64
	at      map[string]int // the line of each of the foot
	threads []*column      // of status lines
	samples map[int]*analysis.Distribution
	cycles  map[int]cycleRange // of the samples
}

// A cycleRange is the numbers of a thread's first and last sample.
type cycleRange struct{ first, last uint64 }

func readCyclictest(s *source) ([]*recording.Recording, error) {
	c := &cyclictest{s: s, unit: s.unitOr(1000), foot: map[string][]int64{}, at: map[string]int{}, samples: map[int]*analysis.Distribution{}, cycles: map[int]cycleRange{}}
	if err := s.eachLine(c.line); err != nil {
		return nil, err
	}
	switch {
	case len(c.samples) > 0:
		return c.sampled()
	case len(c.labels) > 0 || c.marker:
		return c.histograms()
	}
	return s.columns("cyclictest", c.threads)
}

// sampled warns where samples are missing between others.
func (c *cyclictest) sampled() ([]*recording.Recording, error) {
	recs, err := c.s.sampled("cyclictest", c.samples)
	if err != nil {
		return nil, err
	}
	for i, thread := range slices.Sorted(maps.Keys(c.samples)) {
		r, cycles := recs[i], c.cycles[thread]
		if all := cycles.last - cycles.first + 1; cycles.last < cycles.first || all > r.Latency.Count {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%d samples of cycles %d to %d: under --oscope each is the highest of several", r.Latency.Count, cycles.first, cycles.last))
		}
	}
	return recs, nil
}

func (c *cyclictest) line(line string, whole bool) error {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return nil
	case text[0] == '#':
		return c.comment(text)
	case strings.HasPrefix(text, "T:"):
		return c.status(text)
	case text[0] < '0' || text[0] > '9':
		if talks(text) {
			return nil
		}
		return fmt.Errorf("%s is no line of cyclictest's", quoted(text))
	}
	if m := cyclicSample.FindStringSubmatch(line); m != nil {
		return c.sample(m)
	}
	return c.row(text, whole)
}

func (c *cyclictest) sample(m []string) error {
	thread, err := strconv.Atoi(m[1])
	if err != nil || thread > 1<<16 {
		return fmt.Errorf("thread %.40s is out of range", m[1])
	}
	v, err := scaled(m[3], c.unit)
	if err != nil {
		return err
	}
	cycle, err := strconv.ParseUint(m[2], 10, 64)
	if err != nil {
		return fmt.Errorf("cycle %.40s is out of range", m[2])
	}
	of, known := c.cycles[thread]
	if !known {
		of.first = cycle
	}
	of.last = cycle
	c.cycles[thread] = of
	distributionOf(c.samples, thread).Record(v)
	return nil
}

func (c *cyclictest) row(text string, whole bool) error {
	f := strings.Fields(text)
	if len(f) < 2 {
		return fmt.Errorf("%s is no row of class and counts", quoted(text))
	}
	if len(c.counts) > 0 && len(f)-1 != len(c.counts[0]) {
		return fmt.Errorf("%d counts, the rows before have %d", len(f)-1, len(c.counts[0]))
	}
	if !whole && len(f[len(f)-1]) < 6 {
		return fmt.Errorf("cut off within the row %s", quoted(text))
	}
	label, err := scaled(f[0], c.unit)
	if err != nil {
		return err
	}
	if n := len(c.labels); n > 0 && label <= c.labels[n-1] {
		return fmt.Errorf("class %s does not ascend", f[0])
	}
	row := make([]uint64, len(f)-1)
	for i, t := range f[1:] {
		if row[i], err = strconv.ParseUint(t, 10, 64); err != nil {
			return fmt.Errorf("%s is no count", quoted(t))
		}
	}
	c.labels, c.counts = append(c.labels, label), append(c.counts, row)
	return nil
}

var cyclicFoot = []string{"Total", "Min Latencies", "Avg Latencies", "Max Latencies", "Histogram Overflows"}

func (c *cyclictest) comment(text string) error {
	text = strings.TrimSpace(text[1:])
	if text == "Histogram" {
		if c.marker {
			return fmt.Errorf("a second histogram in one file")
		}
		c.marker = true
		return nil
	}
	key, rest, ok := strings.Cut(text, ":")
	if !ok {
		return nil
	}
	for _, k := range cyclicFoot {
		if k != key {
			continue
		}
		c.at[key] = c.s.line
		for _, t := range strings.Fields(rest) {
			v, err := strconv.ParseInt(t, 10, 64)
			if errors.Is(err, strconv.ErrRange) {
				return fmt.Errorf("%s: %.40s is out of range: cyclictest writes negative values so, without their sign", key, t)
			}
			if err != nil {
				return fmt.Errorf("%s: %s is not an integer", key, quoted(t))
			}
			c.foot[key] = append(c.foot[key], v)
		}
	}
	return nil
}

// status takes a line of the live table; later ones replace earlier ones.
func (c *cyclictest) status(text string) error {
	m := cyclicStatus.FindStringSubmatch(text)
	if m == nil {
		if strings.Contains(text, "Spike:") {
			return nil
		}
		return fmt.Errorf("%s is cut off or no status line", quoted(text))
	}
	col := &column{name: "thread" + m[1]}
	n, err := strconv.ParseUint(m[2], 10, 64)
	if err != nil {
		return fmt.Errorf("%.40s cycles are out of range", m[2])
	}
	var v [3]int64
	for i, t := range m[3:6] {
		if v[i], err = scaled(t, c.unit); err != nil {
			return err
		}
	}
	mean := float64(v[1])
	col.count, col.min, col.mean, col.max = &n, &v[0], &mean, &v[2]
	if n == 0 {
		col.min, col.mean, col.max = nil, nil, nil
	}
	for i, old := range c.threads {
		if old.name == col.name {
			c.threads[i] = col
			return nil
		}
	}
	c.threads = append(c.threads, col)
	return nil
}
