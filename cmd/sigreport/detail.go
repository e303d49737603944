// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"strconv"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/analysis/tail"
)

const confidence = 0.95

// A detail is what --detail adds to the figures of one input. Times are ns;
// what is not known is null in JSON.
type detail struct {
	Confidence float64          `json:"confidence"`
	Quantiles  []quantileDetail `json:"quantiles"`
	Cycles     *cyclesDetail    `json:"clock_cycles"`
	Extreme    *extremeDetail   `json:"extreme_values"`
	Refused    string           `json:"extreme_values_refused,omitempty"` // why there is no estimate
	Observed   *observedDetail  `json:"observed"`
}

// A quantileDetail has null for a bound that the sample is too small for.
type quantileDetail struct {
	Q          float64 `json:"q"`
	Value      int64   `json:"value_ns"`
	Low        *int64  `json:"low_ns"`
	High       *int64  `json:"high_ns"`
	Confidence float64 `json:"confidence"` // reached
}

// name is p50, p99.9 and so on.
func (q *quantileDetail) name() string { return "p" + strconv.FormatFloat(q.Q*100, 'g', 8, 64) }

// A cyclesDetail is the rule of thumb of 10^5 clock cycles.
type cyclesDetail struct {
	Limit int64 `json:"limit_ns"`
	KHz   int64 `json:"cpu_khz"`
	Below bool  `json:"max_below"`
}

type extremeDetail struct {
	Threshold int64            `json:"threshold_ns"`
	Peaks     uint64           `json:"peaks"`
	Shape     float64          `json:"shape"`
	Scale     float64          `json:"scale_ns"`
	P         float64          `json:"p"` // of the test of the fit
	Returns   []estimateDetail `json:"returns"`
}

// An estimateDetail is the value that one of OneOf values exceeds.
type estimateDetail struct {
	OneOf float64 `json:"one_of"`
	Value float64 `json:"value_ns"`
	Low   float64 `json:"low_ns"`
	High  float64 `json:"high_ns"`
}

// An observedDetail tells how much of the run's time it could observe: see
// the usage text of stats.
type observedDetail struct {
	Share float64  `json:"share"`       // of the time, a signal was under way in it
	Met   *float64 `json:"met_maximum"` // probability to meet a single delay as long as the maximum
}

// detailOf returns nil for an input without a distribution.
func detailOf(r *recording.Recording) *detail {
	d := r.Latencies()
	if d == nil || d.Count() == 0 {
		return nil
	}
	out := &detail{Confidence: confidence, Observed: observed(r)}
	for _, i := range d.QuantileIntervals(confidence, analysis.DetailQuantiles...) {
		q := quantileDetail{Q: i.Q, Value: i.Value, Confidence: i.Confidence}
		if !i.LowOpen {
			q.Low = &i.Low
		}
		if !i.HighOpen {
			q.High = &i.High
		}
		out.Quantiles = append(out.Quantiles, q)
	}
	if limit := analysis.ClockCycles(r.Host.CPUKHz); limit > 0 {
		out.Cycles = &cyclesDetail{limit, r.Host.CPUKHz, r.Latency.Max < limit}
	}
	if r.Import != nil && r.Import.Overflow > 0 {
		out.Refused = "values above the classes are not known one by one"
		return out
	}
	f, err := tail.Of(d)
	if err != nil {
		out.Refused = err.Error()
		return out
	}
	out.Extreme = &extremeDetail{Threshold: f.Threshold, Peaks: f.Peaks, Shape: f.Shape, Scale: f.Scale, P: f.PValue}
	for _, k := range []float64{10, 100} {
		e := f.Return(k * float64(d.Count()))
		out.Extreme.Returns = append(out.Extreme.Returns, estimateDetail{e.N, e.Value, e.Low, e.High})
	}
	return out
}

// observed returns nil where the input does not tell how long it took.
func observed(r *recording.Recording) *observedDetail {
	if !r.HasRun || r.ElapsedNS <= 0 {
		return nil
	}
	o := &observedDetail{Share: min(1, r.Latency.Mean*float64(r.Latency.Count)/float64(r.ElapsedNS))}
	if period := r.Config.PeriodNS; period > 0 && r.Latency.Max > 0 {
		met := min(1, float64(r.Latency.Max)/float64(period))
		o.Met = &met
	}
	return o
}
