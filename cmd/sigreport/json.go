// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"encoding/json"
	"io"
	"math"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// schemaVersion is the version of what stats --json prints.
const schemaVersion = 1

// statsJSON is one element of the array. What the input does not tell is
// null.
type statsJSON struct {
	Version  int         `json:"version"`
	Name     string      `json:"name"`
	Path     string      `json:"path"`
	Clock    *string     `json:"clock"`
	Counts   countsJSON  `json:"counts"`
	Latency  latencyJSON `json:"latency_ns"`
	Bound    *float64    `json:"exceedance_bound"` // share of all values that may exceed the maximum, about 3/n at 95 %
	Over     *overJSON   `json:"over,omitempty"`   // with --over
	Detail   *detail     `json:"detail,omitempty"` // with --detail
	Warnings []string    `json:"warnings"`
}

// overJSON counts values over a threshold: from Low to High of them, which is
// null when the file does not tell it.
type overJSON struct {
	Threshold int64   `json:"threshold_ns"`
	Low       uint64  `json:"low"`
	High      *uint64 `json:"high"`
}

type countsJSON struct {
	Sent     *uint64 `json:"sent"`
	Received *uint64 `json:"received"`
	Lost     *uint64 `json:"lost"`
	Refused  *uint64 `json:"refused"`
	Overflow *uint64 `json:"overflow,omitempty"` // values above the classes of an imported file
}

type latencyJSON struct {
	Count  *uint64  `json:"count"`
	Min    *int64   `json:"min"`
	Max    *int64   `json:"max"`
	Mean   *float64 `json:"mean"`
	Stddev *float64 `json:"stddev"`
	P50    *int64   `json:"p50"`
	P90    *int64   `json:"p90"`
	P99    *int64   `json:"p99"`
	P999   *int64   `json:"p99_9"`
	P9999  *int64   `json:"p99_99"`
}

// writeStatsJSON prints the array. Limit, where it is not nil, is the
// threshold whose exceedances are counted.
func writeStatsJSON(w io.Writer, recs []*recording.Recording, details bool, limit *int64) error {
	out := []statsJSON{}
	for _, r := range recs {
		s := jsonOf(r)
		if details {
			s.Detail = detailOf(r)
		}
		if limit != nil {
			low, high := over(r, *limit)
			s.Over = &overJSON{*limit, low, high}
		}
		out = append(out, s)
	}
	return writeJSON(w, out)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func jsonOf(r *recording.Recording) statsJSON {
	s := statsJSON{
		Version: schemaVersion, Name: r.Name, Path: r.Path,
		Latency:  latencyOf(r),
		Warnings: append([]string{}, r.Warnings...),
	}
	if r.HasCount() {
		s.Counts.Received = &r.Counts.Received
	}
	if bound := analysis.ExceedanceBound(r.Latency.Count, confidence); r.HasBound() {
		s.Bound = &bound
	}
	if r.Clock != "" {
		s.Clock = &r.Clock
	}
	if i := r.Import; i != nil && i.BinNS > 0 && !i.OverflowOpen && r.Latencies() != nil {
		s.Counts.Overflow = &i.Overflow
	}
	if knowsLost(r) {
		s.Counts.Sent, s.Counts.Lost, s.Counts.Refused = &r.Counts.Sent, &r.Counts.Lost, &r.Counts.Refused
	}
	return s
}

func latencyOf(r *recording.Recording) latencyJSON {
	l, j := &r.Latency, latencyJSON{}
	if r.HasCount() {
		j.Count = &l.Count
		if l.Count == 0 {
			return j
		}
	}
	j.Max, j.Mean, j.Stddev = &l.Max, finite(l.Mean), finite(l.Stddev)
	if r.HasMin() {
		j.Min = &l.Min
	}
	if r.HasQuantiles() {
		j.P50, j.P90, j.P99, j.P999, j.P9999 = &l.P50, &l.P90, &l.P99, &l.P999, &l.P9999
	}
	return j
}

// finite returns nil for a figure that is not known.
func finite(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
