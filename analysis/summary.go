// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"encoding/json"
	"math"
)

// A Summary is the fixed set of figures that run.json and the commands print.
// All are ns; with no values all are zero. Of an imported file mean and
// standard deviation may be NaN, not known, which is null in JSON.
type Summary struct {
	Count  uint64  `json:"count"`
	Min    int64   `json:"min"`
	Max    int64   `json:"max"`
	Mean   float64 `json:"mean"`
	Stddev float64 `json:"stddev"`
	P50    int64   `json:"p50"`
	P90    int64   `json:"p90"`
	P99    int64   `json:"p99"`
	P999   int64   `json:"p99_9"`
	P9999  int64   `json:"p99_99"`
}

// Summary computes the figures of d.
func (d *Distribution) Summary() Summary {
	if d.count == 0 {
		return Summary{}
	}
	q := d.Quantiles(0.5, 0.9, 0.99, 0.999, 0.9999)
	m := d.Moments()
	return Summary{
		Count: m.Count, Min: m.Min, Max: m.Max, Mean: m.Mean(), Stddev: m.Stddev(),
		P50: q[0], P90: q[1], P99: q[2], P999: q[3], P9999: q[4],
	}
}

// MarshalJSON writes NaN as null.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain Summary // without this method
	if !math.IsNaN(s.Mean) && !math.IsNaN(s.Stddev) {
		return json.Marshal(plain(s))
	}
	known := func(f float64) *float64 {
		if math.IsNaN(f) {
			return nil
		}
		return &f
	}
	mean, stddev := known(s.Mean), known(s.Stddev)
	s.Mean, s.Stddev = 0, 0
	return json.Marshal(struct {
		plain
		Mean   *float64 `json:"mean"`
		Stddev *float64 `json:"stddev"`
	}{plain(s), mean, stddev})
}

// UnmarshalJSON reads null as NaN.
func (s *Summary) UnmarshalJSON(b []byte) error {
	type plain Summary
	p := plain{Mean: math.NaN(), Stddev: math.NaN()}
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	*s = Summary(p)
	return nil
}
