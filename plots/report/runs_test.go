// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// lab returns a run as the laboratory would make it, around a median, with
// the same samples at each call.
func lab(name, placement, policy string, receiver string, periodMS int, median float64) *recording.Recording {
	r := &recording.Recording{HasRun: true, Dist: map[string]*analysis.Distribution{}}
	d := analysis.NewDistribution()
	rng := rand.New(rand.NewPCG(uint64(median), 1))
	for i := range 1000 {
		v := int64(median * (0.97 + 0.03*math.Exp(rng.NormFloat64())))
		if i == 400 {
			v += 2200 + int64(median)/10
		}
		d.Record(v)
		r.Worst = append(r.Worst, recording.Sample{
			Seq: uint64(i), ReceivedNS: int64(i+1) * int64(periodMS) * 1e6, LatencyNS: v, CPU: 1})
	}
	slices.SortStableFunc(r.Worst, func(a, b recording.Sample) int { return cmp.Compare(b.LatencyNS, a.LatencyNS) })
	r.Worst = slices.Clip(r.Worst[:20])
	for i, w := range r.Worst {
		r.Worst[i].Parts = map[string]int64{"timer": 812, "module": 240, "total": w.LatencyNS + 1052}
	}
	r.Dist[recording.SegmentLatency] = d
	priority := 0
	if policy != "other" {
		priority = 40
	}
	r.Run = recording.Run{
		Version: 1, Name: name, Start: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Complete: true, Clock: "virtual",
		ElapsedNS: int64(periodMS) * 1e9, Worst: r.Worst, Tool: "sigwait test",
		Command: []string{"sigwait", "--name", name, "-o", "/runs/" + name, "--period", fmt.Sprintf("%dms", periodMS)},
		Config: recording.Config{Source: "kernel", Receiver: receiver, CPU: 1, TimerCPU: 0, Policy: policy, Priority: priority,
			PeriodNS: int64(periodMS) * 1e6, Count: 1000, StampClock: "monotonic", Context: "auto"},
		Effective: recording.Effective{Policy: policy, Priority: priority, CPUs: []int{1}, TimerCPU: 0, Placement: placement,
			Context: "softirq", Receiver: receiver, Stamp: "vdso", MemLocked: true, StampClock: "monotonic"},
		Host: recording.Host{Hostname: "siglab", Kernel: "6.12.57+deb12-amd64", KernelBuild: "#1 SMP PREEMPT_DYNAMIC", Arch: "x86_64",
			CPUModel: "QEMU TCG CPU version 2.5+", CPUsOnline: "0-1", SMT: "notsupported", Clocksource: "tsc",
			RTRuntimeUS: 950000, TimerSlackNS: 50000, Hypervisor: "tcg", Cmdline: "console=ttyS0 nokaslr norandmaps",
			Lab: map[string]string{"clock": "virtual", "qemu": "7.2.22", "cpu": "Haswell-noTSX,-rdrand", "image_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}},
		Counts: recording.Counts{Sent: 1000, Received: 1000},
	}
	r.Latency = d.Summary()
	return r
}

// article returns five runs as the plan of the same name makes them.
func article() []*recording.Recording {
	return []*recording.Recording{
		lab("blocked-other", "other", "other", "sigwait", 100, 7456),
		lab("blocked-same", "same", "other", "sigwait", 100, 5863),
		lab("blocked-same-fifo", "same", "fifo", "sigwait", 100, 5007),
		lab("busy-other", "other", "other", "busy", 5, 3976),
		lab("busy-same-fifo", "same", "fifo", "busy", 5, 2795),
	}
}

// years returns n runs on a target, two a day; some have an outlier, one lost
// signals.
func years(n int) []*recording.Recording {
	var runs []*recording.Recording
	for i := range n {
		r := lab(fmt.Sprintf("run-%03d", i+1), []string{"same", "other"}[i%2], "fifo", "sigwait", 1, 5000+float64(1000+i%200))
		r.Start, r.Clock = time.Date(2025, 1, 1, 6+12*i, 0, 0, 0, time.UTC), "real"
		r.Host.Hostname, r.Host.Lab, r.Host.Hypervisor = "rack3-slot1", nil, ""
		if i%97 == 40 {
			r.Dist[recording.SegmentLatency].Record(int64(20_000 + 11*i))
			r.Latency = r.Dist[recording.SegmentLatency].Summary()
		}
		if i == 500 {
			r.Counts.Lost = 7
		}
		runs = append(runs, r)
	}
	return runs
}
