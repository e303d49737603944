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
	return Summary{
		Count: d.count, Min: d.min, Max: d.max, Mean: d.Mean(), Stddev: d.Stddev(),
		P50: d.Quantile(0.5), P90: d.Quantile(0.9), P99: d.Quantile(0.99),
		P999: d.Quantile(0.999), P9999: d.Quantile(0.9999),
	}
}
