// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/sigwait"
)

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got:\n%s\nwant as in %s:\n%s", got, path, want)
	}
}

func TestLiveLine(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&options{}, &out, new(bytes.Buffer))
	for second := range 3 {
		for i := range int64(10) {
			s.add(&sigwait.Sample{LatencyNS: 5000 + int64(second)*1000 + i*100})
		}
		if second == 1 {
			s.add(&sigwait.Sample{LatencyNS: 1_234_567_890})
		}
		s.line(time.Duration(second+1)*time.Second+3*time.Millisecond, uint64(second))
	}
	s.line(time.Hour, 3)
	s.end()
	golden(t, "live.golden", out.Bytes())
}

func TestSummary(t *testing.T) {
	d := analysis.NewDistribution()
	for i := range int64(1000) {
		x := float64(i)/500 - 1
		d.Record(5800 + int64(400*math.Copysign(x*x, x)))
	}
	d.Record(250_000)
	run := &recording.Run{
		ElapsedNS: int64(100*time.Second) + 123456,
		Config:    recording.Config{Source: "kernel", PeriodNS: int64(100 * time.Millisecond)},
		Effective: recording.Effective{Policy: "fifo", Priority: 40, CPUs: []int{1}, TimerCPU: 0, Placement: "other", Context: "softirq", Receiver: "busy"},
		Host:      recording.Host{Kernel: "6.12.1-amd64"},
		Counts:    recording.Counts{Sent: 1003, Received: 1001, Lost: 2},
		Latency:   d.Summary(),
		Warnings:  []string{"2 of 1003 signals lost"},
	}
	var out bytes.Buffer
	if err := summary(&out, run, d); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.golden", out.Bytes())

	out.Reset()
	run.Effective = recording.Effective{Policy: "other", CPUs: []int{0, 1}, TimerCPU: -1, Placement: "floating", Context: "user", Receiver: "sigwait"}
	run.Config.Source, run.Counts, run.Latency, run.Warnings = "user", recording.Counts{}, analysis.Summary{}, nil
	if err := summary(&out, run, analysis.NewDistribution()); err != nil {
		t.Fatal(err)
	}
	golden(t, "nothing.golden", out.Bytes())
}

// One latency, all alike, and the widest span: the picture always has a row.
func TestHistogramOfAnything(t *testing.T) {
	for _, values := range [][]int64{{0}, {7, 7, 7}, {0, math.MaxInt64}, {1, 2}} {
		d := analysis.NewDistribution()
		for _, v := range values {
			d.Record(v)
		}
		var out bytes.Buffer
		histogram(&out, d, d.Summary())
		if !bytes.Contains(out.Bytes(), []byte("#")) {
			t.Errorf("%d: %q", values, out.String())
		}
	}
}

func TestPlacement(t *testing.T) {
	for _, c := range []struct {
		cpus  []int
		timer int
		want  string
	}{{[]int{0}, 0, "same"}, {[]int{1}, 0, "other"}, {[]int{0, 1}, 2, "other"}, {[]int{0, 1}, 0, "floating"}, {[]int{0}, -1, "floating"}} {
		if got := placement(c.cpus, c.timer); got != c.want {
			t.Errorf("%v against %d: %s, want %s", c.cpus, c.timer, got, c.want)
		}
	}
}

func TestConditions(t *testing.T) {
	calm := recording.Run{Clock: "real", Effective: recording.Effective{CPUs: []int{0}, MemLocked: true, Stamp: "vdso"},
		Host: recording.Host{Governor: "performance", RTRuntimeUS: -1}}
	if w := conditions(&calm); len(w) > 0 {
		t.Errorf("warnings about a good set-up: %q", w)
	}
	quick := calm
	quick.Effective.Policy, quick.Config.Receiver, quick.Host.RTRuntimeUS = "fifo", "busy", 950000
	if w := conditions(&quick); len(w) > 0 {
		t.Errorf("warnings about throttling that did not show: %q", w)
	}
	lab := calm
	lab.Clock, lab.Host.Hypervisor, lab.Host.Governor = "virtual", "QEMU", "powersave"
	if w := conditions(&lab); len(w) > 0 {
		t.Errorf("warnings about real time in virtual time: %q", w)
	}
	for _, c := range []struct {
		want   string
		change func(*recording.Run)
	}{
		{"the receiver was not bound to a CPU (--cpu): it may have moved between 2 of them", func(r *recording.Run) { r.Effective.CPUs = []int{0, 1} }},
		{"the sender was not bound to a CPU (--timer-cpu): some signals may have crossed CPUs, others not", func(r *recording.Run) { r.Effective.TimerCPU = -1 }},
		{"memory is not locked (RLIMIT_MEMLOCK, ulimit -l): a page fault may count as latency", func(r *recording.Run) { r.Effective.MemLocked = false }},
		{"the frequency governor is powersave, not performance: latencies include changes of frequency", func(r *recording.Run) { r.Host.Governor = "powersave" }},
		{"real time inside a virtual machine (KVM): latencies include what its host does", func(r *recording.Run) { r.Host.Hypervisor = "KVM" }},
		{"real-time throttling is on (kernel.sched_rt_runtime_us=950000): it may have stopped the spinning receiver for a part of each second", func(r *recording.Run) {
			r.Effective.Policy, r.Config.Receiver, r.Host.RTRuntimeUS = "fifo", "busy", 950000
			r.Latency.Max = 50e6
		}},
	} {
		run := calm
		c.change(&run)
		if w := conditions(&run); len(w) != 1 || w[0] != c.want {
			t.Errorf("got %q, want %q", w, c.want)
		}
	}
}
