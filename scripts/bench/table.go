// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// limit is the ratio of medians, Go to C, that no row may pass.
const limit = 1.00

// A row is the samples of a cell, in ns.
type row struct {
	cell
	inGo, inC []int64 // inC is empty where C has no such receiver
}

func (c cell) String() string {
	return fmt.Sprintf("kernel=%s receiver=%s cpu=%s policy=%s", c.Kernel, c.Receiver, c.CPU, c.Policy)
}

// quantile returns the smallest sample that at least the share q of all do not
// exceed. There must be one.
func quantile(samples []int64, q float64) int64 {
	s := slices.Sorted(slices.Values(samples))
	return s[max(int(math.Ceil(q*float64(len(s))))-1, 0)]
}

// ratio returns Go to C at a quantile; false without a counterpart.
func (r row) ratio(q float64) (float64, bool) {
	if len(r.inGo) == 0 || len(r.inC) == 0 {
		return 0, false
	}
	return float64(quantile(r.inGo, q)) / float64(quantile(r.inC, q)), true
}

// line renders the row: "-" where there is nothing to tell.
func (r row) line() string {
	at := func(samples []int64, q float64) string {
		if len(samples) == 0 {
			return "-"
		}
		return strconv.FormatInt(quantile(samples, q), 10)
	}
	ratio := "-"
	if v, ok := r.ratio(0.5); ok {
		ratio = strconv.FormatFloat(v, 'f', 4, 64)
	}
	return fmt.Sprintf("bench: %s go_p50=%s c_p50=%s ratio=%s go_p99=%s c_p99=%s", r.cell,
		at(r.inGo, 0.5), at(r.inC, 0.5), ratio, at(r.inGo, 0.99), at(r.inC, 0.99))
}

// A summary is the ratios, Go to C, over all rows that have both.
type summary struct {
	Rows     int     `json:"rows"`
	Mean     float64 `json:"ratio_mean"`
	Max      float64 `json:"ratio_max"`
	MeanP99  float64 `json:"p99_ratio_mean"`
	MaxP99   float64 `json:"p99_ratio_max"`
	Exceeded int     `json:"exceeded"` // rows whose ratio of medians passes the limit
}

func summarise(rows []row) summary {
	var s summary
	for _, r := range rows {
		p50, ok := r.ratio(0.5)
		if !ok {
			continue
		}
		p99, _ := r.ratio(0.99)
		s.Rows++
		s.Mean, s.MeanP99 = s.Mean+p50, s.MeanP99+p99
		s.Max, s.MaxP99 = max(s.Max, p50), max(s.MaxP99, p99)
		if p50 > limit {
			s.Exceeded++
		}
	}
	n := float64(max(s.Rows, 1))
	s.Mean, s.MeanP99 = s.Mean/n, s.MeanP99/n
	return s
}

func (s summary) line() string {
	return fmt.Sprintf("bench: rows=%d ratio_mean=%.4f ratio_max=%.4f p99_ratio_mean=%.4f p99_ratio_max=%.4f",
		s.Rows, s.Mean, s.Max, s.MeanP99, s.MaxP99)
}

// figures are one program's, in ns, in bench.json.
type figures struct {
	Samples int   `json:"samples"`
	Min     int64 `json:"min_ns"`
	P50     int64 `json:"p50_ns"`
	P99     int64 `json:"p99_ns"`
	Max     int64 `json:"max_ns"`
}

func figuresOf(samples []int64) *figures {
	if len(samples) == 0 {
		return nil
	}
	return &figures{len(samples), slices.Min(samples), quantile(samples, 0.5), quantile(samples, 0.99), slices.Max(samples)}
}

type jsonRow struct {
	cell
	Go       *figures `json:"go"` // null: the measurement failed
	C        *figures `json:"c"`  // null: no such receiver in C, or failed
	Ratio    *float64 `json:"ratio"`
	RatioP99 *float64 `json:"p99_ratio"`
}

func writeJSON(path string, rows []row) error {
	doc := struct {
		Rows    []jsonRow `json:"rows"`
		Summary summary   `json:"summary"`
	}{Summary: summarise(rows)}
	for _, r := range rows {
		j := jsonRow{cell: r.cell, Go: figuresOf(r.inGo), C: figuresOf(r.inC)}
		if v, ok := r.ratio(0.5); ok {
			p99, _ := r.ratio(0.99)
			j.Ratio, j.RatioP99 = &v, &p99
		}
		doc.Rows = append(doc.Rows, j)
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
