// SPDX-License-Identifier: GPL-2.0-only

// Package metrics shows a run in progress to Prometheus.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"siglat/sigwait"
)

// Bounds of the classic buckets in seconds: 1, 2, 5 from 1 us to 0.5 s. The
// native ones beside them are at most 2.2 % wide.
var bounds = []float64{
	1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5,
}

const (
	nativeFactor = 1.022
	mostNative   = 500 // buckets; with more of them the resolution is halved
)

// Metrics are what is known of a run until now. Their methods are for one
// goroutine, not that of a receiving thread; a server reads them from others.
// Nil ones take nothing.
type Metrics struct {
	registry *prometheus.Registry
	latency  prometheus.Histogram
	worst    prometheus.Gauge
	counters []counter
	highest  int64
}

// A counter follows one of the counts of a run.
type counter struct {
	of    func(*sigwait.Counts) uint64
	shown prometheus.Counter
	last  uint64
}

// New returns metrics without a sample.
func New() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), highest: -1 << 63}
	m.latency = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "siglat_latency_seconds", Help: "Time from sending a signal to its arrival in user space.",
		Buckets: bounds, NativeHistogramBucketFactor: nativeFactor, NativeHistogramMaxBucketNumber: mostNative,
	})
	m.worst = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "siglat_latency_worst_seconds", Help: "Highest latency since the start of the run.",
	})
	m.registry.MustRegister(m.latency, m.worst)
	for _, c := range []struct {
		name, help string
		of         func(*sigwait.Counts) uint64
	}{
		{"sent", "Signals that the kernel accepted.", func(c *sigwait.Counts) uint64 { return c.Sent }},
		{"received", "Signals that arrived.", func(c *sigwait.Counts) uint64 { return c.Received }},
		{"lost", "Signals that were sent and did not arrive.", func(c *sigwait.Counts) uint64 { return c.Lost }},
		{"refused", "Signals that the kernel did not accept: the queue was full.", func(c *sigwait.Counts) uint64 { return c.Refused }},
		{"invalid", "Signals that arrived without a latency: half a second or more, or the clock was set.", func(c *sigwait.Counts) uint64 { return c.Invalid }},
		{"unstamped", "Signals that arrived while the ring of the receiver was full.", func(c *sigwait.Counts) uint64 { return c.RingDrops }},
		{"skipped", "Periods without a signal of their own: the sender was late.", func(c *sigwait.Counts) uint64 { return c.Overruns }},
	} {
		shown := prometheus.NewCounter(prometheus.CounterOpts{Name: "siglat_signals_" + c.name + "_total", Help: c.help})
		m.registry.MustRegister(shown)
		m.counters = append(m.counters, counter{of: c.of, shown: shown})
	}
	return m
}

// Info shows the conditions of the run as labels of siglat_run_info. It is
// called once.
func (m *Metrics) Info(labels map[string]string) {
	if m == nil {
		return
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "siglat_run_info", Help: "Host and configuration of the run, as they are in force.", ConstLabels: labels,
	})
	info.Set(1)
	m.registry.MustRegister(info)
}

// Add takes a latency in ns.
func (m *Metrics) Add(ns int64) {
	if m == nil {
		return
	}
	m.latency.Observe(float64(ns) / 1e9)
	if ns > m.highest {
		m.highest = ns
		m.worst.Set(float64(ns) / 1e9)
	}
}

// Count takes the counts of the run until now.
func (m *Metrics) Count(n *sigwait.Counts) {
	if m == nil {
		return
	}
	for i := range m.counters {
		c := &m.counters[i]
		if now := c.of(n); now > c.last { // a counter must not fall
			c.shown.Add(float64(now - c.last))
			c.last = now
		}
	}
}
