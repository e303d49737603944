// SPDX-License-Identifier: GPL-2.0-only

package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"siglat/analysis"
)

// CSVHeader is the first line of [CSV]'s output. Rows are count, min, mean,
// stddev and max of each histogram, then for each in turn under (below the
// first class), class and over (at or above the end of the last class), in
// this order. Low is included, high is not. An empty value is not known.
const CSVHeader = "name,row,low_ns,high_ns,value"

// CSV writes histograms as comma-separated values. A name that occurs twice
// makes the file ambiguous and is an error.
func CSV(w io.Writer, hs []Histogram) error {
	if err := distinct(hs); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	if _, err := io.WriteString(w, CSVHeader+"\n"); err != nil {
		return err
	}
	// A failure to write stays until Flush.
	for _, h := range hs {
		l := h.Latency
		_ = c.Write([]string{h.Name, "count", "", "", h.figure(strconv.FormatUint(l.Count, 10), "")})
		if l.Count == 0 {
			continue
		}
		_ = c.Write([]string{h.Name, "min", "", "", itoa(l.Min)})
		_ = c.Write([]string{h.Name, "mean", "", "", decimal(l.Mean, "")})
		_ = c.Write([]string{h.Name, "stddev", "", "", decimal(l.Stddev, "")})
		_ = c.Write([]string{h.Name, "max", "", "", h.figure(itoa(l.Max), "")})
	}
	for _, h := range hs {
		from, to := h.Rows.Edge(0), h.Rows.Edge(h.Rows.Bins())
		_ = c.Write([]string{h.Name, "under", "", itoa(from), strconv.FormatUint(h.Rows.Under(), 10)})
		for r := range h.Rows.Rows() {
			_ = c.Write([]string{h.Name, "class", itoa(r.Low), itoa(r.High), strconv.FormatUint(r.Count, 10)})
		}
		_ = c.Write([]string{h.Name, "over", itoa(to), "", h.over("")})
	}
	c.Flush()
	return c.Error()
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

func distinct(hs []Histogram) error {
	seen := map[string]bool{}
	for _, h := range hs {
		if seen[h.Name] {
			return fmt.Errorf("two inputs are named %q: rename one", h.Name)
		}
		seen[h.Name] = true
	}
	return nil
}

// width returns the width of all rows but, where it does not fit, the last;
// that of the first.
func width(l *analysis.Linear) int64 { return l.Edge(1) - l.Edge(0) }
