// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteLog writes an HdrHistogram log with one interval for each recording,
// as long as its run, tagged with its name; that of a single one is latency.
// [ReadLog] gives all values back, with their exact figures.
func WriteLog(w io.Writer, recs []*Recording) error {
	h := newHlogWriter(w)
	start := time.Unix(0, 0)
	if len(recs) > 0 && !recs[0].Start.IsZero() {
		start = recs[0].Start
	}
	if err := h.head(start, "Latencies in ns, an interval for each recording"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range recs {
		tag := SegmentLatency
		if len(recs) > 1 {
			tag = tagOf(r.Name)
		}
		if seen[tag] {
			return fmt.Errorf("two inputs are named %q: rename one", tag)
		}
		seen[tag] = true
		d := r.Latencies()
		if d == nil {
			return fmt.Errorf("%s holds no distribution, only figures", r.Name)
		}
		if d.Count() == 0 {
			continue
		}
		if err := h.interval(tag, d, 0, time.Duration(max(r.ElapsedNS, 0))); err != nil {
			return err
		}
	}
	return h.flush()
}

// tagOf replaces what a tag cannot hold.
func tagOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`,]"`, r) {
			return '_'
		}
		return r
	}, name)
}
