// SPDX-License-Identifier: GPL-2.0-only

package analysis

// A Summary is the fixed set of figures that run.json and the commands print.
// All are ns; with no values all are zero.
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
