// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"siglat/analysis/recording"
	"siglat/cmd/sigwait/internal/metrics"
)

// serve lets Prometheus read the run, if that was asked for. A nil server is
// one that was not.
func (r *recorder) serve(stderr io.Writer) (*metrics.Server, error) {
	if r.o.metrics == "" {
		return nil, nil
	}
	r.metrics = metrics.New()
	s, err := metrics.Serve(r.o.metrics, r.metrics)
	if err == nil && !r.o.quiet {
		fmt.Fprintf(stderr, "sigwait: metrics at %s\n", s.URL())
	}
	return s, err
}

// labels are the conditions of a run for Prometheus.
func labels(name string, run *recording.Run, e recording.Effective) map[string]string {
	h := run.Host
	now := *run
	now.Effective = e
	return map[string]string{
		"name": name, "config": now.Configuration(), "tool": run.Tool, "clock": run.Clock,
		"host": h.Hostname, "kernel": h.Kernel, "preempt_rt": strconv.FormatBool(h.PreemptRT), "arch": h.Arch,
		"cpu_model": h.CPUModel, "governor": h.Governor, "clocksource": h.Clocksource, "hypervisor": h.Hypervisor,
		"source": run.Config.Source, "receiver": e.Receiver, "policy": e.Policy, "priority": strconv.Itoa(e.Priority),
		"cpus": list(e.CPUs), "timer_cpu": strconv.Itoa(e.TimerCPU), "placement": e.Placement, "context": e.Context,
		"period": time.Duration(run.Config.PeriodNS).String(), "stamp": e.Stamp, "mem_locked": strconv.FormatBool(e.MemLocked),
	}
}
