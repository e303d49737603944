// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"slices"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/sigwait"
)

// perCPU keeps the latencies of each CPU apart where a thread waits on each.
type perCPU struct {
	cpus []int
	dist []*analysis.Distribution
}

func newPerCPU(cpus []int) *perCPU {
	p := &perCPU{cpus: cpus}
	for range cpus {
		p.dist = append(p.dist, analysis.NewDistribution())
	}
	return p
}

func (p *perCPU) add(s *sigwait.Sample) {
	if i := slices.Index(p.cpus, s.CPU); i >= 0 {
		p.dist[i].Record(s.LatencyNS)
	}
}

// summaries returns the figures of the CPUs that have any.
func (p *perCPU) summaries() (list []recording.CPULatency) {
	for i, d := range p.dist {
		if d.Count() > 0 {
			list = append(list, recording.CPULatency{CPU: p.cpus[i], Latency: d.Summary()})
		}
	}
	return list
}
