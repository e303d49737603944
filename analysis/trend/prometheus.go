// SPDX-License-Identifier: GPL-2.0-only

package trend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// A Query asks a Prometheus server for what it has scraped from recorders of
// this project: the series siglat_latency_seconds, siglat_latency_worst_seconds,
// siglat_signals_lost_total and siglat_run_info.
type Query struct {
	Server      string    // host, or host:port
	End         time.Time // of the last step
	Since, Step time.Duration
}

// timeout bounds each of the requests, mostAnswer their answers in bytes.
const (
	timeout    = time.Minute
	mostAnswer = 1 << 30
)

// A sampled is a series in the answer of /api/v1/query_range.
type sampled struct {
	Metric map[string]string
	Values []reading
}

// A reading is [seconds, "value"].
type reading struct {
	at    int64
	value float64
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *reading) UnmarshalJSON(b []byte) error {
	var at float64
	var text string
	if err := json.Unmarshal(b, &[]any{&at, &text}); err != nil {
		return err
	}
	v, err := strconv.ParseFloat(text, 64)
	r.at, r.value = int64(math.Round(at)), v
	return err
}

// figures are what is asked for, over each step. Native histograms are asked
// first; quantiles of classic ones are only as fine as their buckets.
func (q *Query) figures() []struct{ name, expression string } {
	step := fmt.Sprintf("%ds", int(q.Step.Seconds()))
	quantile := func(share string) string {
		rate := "rate(siglat_latency_seconds[" + step + "])"
		return "histogram_quantile(" + share + ", " + rate + ") or histogram_quantile(" + share + ", rate(siglat_latency_seconds_bucket[" + step + "]))"
	}
	return []struct{ name, expression string }{
		{"p50", quantile("0.5")}, {"p99", quantile("0.99")},
		{"max", "max_over_time(siglat_latency_worst_seconds[" + step + "])"},
		{"count", "increase(siglat_signals_received_total[" + step + "])"},
		{"lost", "increase(siglat_signals_lost_total[" + step + "])"},
	}
}

// Load returns a point for each step and recorder with latencies in it, by
// plain HTTP. The highest latency of a step is that of its run so far, since
// that is what a recorder shows. Steps are whole seconds. Errors name the
// server: it cannot be reached, it takes longer than a minute for one of six
// questions, an answer is above 1 GiB or says that the server failed.
func (q *Query) Load(ctx context.Context) ([]Point, error) {
	type place struct {
		instance string
		at       int64
	}
	points := map[place]*Point{}
	info, err := q.ask(ctx, "siglat_run_info")
	if err != nil {
		return nil, err
	}
	for _, s := range info {
		for _, r := range s.Values {
			points[place{s.instance(), r.at}] = &Point{Key: Key{s.Metric["host"], s.Metric["config"]}, Kernel: s.kernel(), Start: time.Unix(r.at, 0).UTC()}
		}
	}
	for _, f := range q.figures() {
		list, err := q.ask(ctx, f.expression)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			for _, r := range s.Values {
				if p := points[place{s.instance(), r.at}]; p != nil && !math.IsNaN(r.value) {
					p.set(f.name, r.value)
				}
			}
		}
	}
	var out []Point
	for _, p := range points {
		if p.Count > 0 && p.P99 > 0 {
			out = append(out, *p)
		}
	}
	slices.SortFunc(out, func(a, b Point) int { return a.Start.Compare(b.Start) })
	return out, nil
}

func (p *Point) set(figure string, v float64) {
	ns := int64(math.Round(v * 1e9))
	switch figure {
	case "p50":
		p.P50 = ns
	case "p99":
		p.P99 = ns
	case "max":
		p.Max = ns
	case "count":
		p.Count = uint64(math.Round(max(v, 0)))
	case "lost":
		p.Lost = uint64(math.Round(max(v, 0)))
	}
}

func (s *sampled) instance() string { return s.Metric["job"] + "\x00" + s.Metric["instance"] }

func (s *sampled) kernel() string {
	if s.Metric["preempt_rt"] == "true" {
		return s.Metric["kernel"] + " (PREEMPT_RT)"
	}
	return s.Metric["kernel"]
}

// ask returns the series of an expression.
func (q *Query) ask(ctx context.Context, expression string) ([]sampled, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	at := func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
	u := url.URL{Scheme: "http", Host: q.Server, Path: "/api/v1/query_range", RawQuery: url.Values{
		"query": {expression}, "start": {at(q.End.Add(-q.Since))}, "end": {at(q.End)}, "step": {strconv.Itoa(int(q.Step.Seconds()))},
	}.Encode()}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask prometheus://%s: %w", q.Server, err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("ask prometheus://%s: %w", q.Server, err)
	}
	defer res.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []sampled }
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, mostAnswer)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("ask prometheus://%s: %s: no answer of Prometheus: %w", q.Server, res.Status, err)
	}
	if answer.Status != "success" {
		return nil, fmt.Errorf("ask prometheus://%s: %s", q.Server, answer.Error)
	}
	return answer.Data.Result, nil
}
