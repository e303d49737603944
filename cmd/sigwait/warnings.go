// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"strings"
	"time"

	"siglat/analysis/recording"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
)

// A list of warnings, one line each.
type warnings []string

func (w *warnings) add(when bool, format string, args ...any) {
	if when {
		*w = append(*w, fmt.Sprintf(format, args...))
	}
}

// of adds a warning that starts with a count of things, unless it is zero.
func (w *warnings) of(n uint64, thing, what string) {
	if n != 1 {
		thing += "s"
	}
	w.add(n > 0, "%d %s %s", n, thing, what)
}

// events lists what happened to signals that a reader of the figures must
// know.
func events(c recording.Counts) []string {
	var w warnings
	w.add(c.Lost > 0, "%d of %d signals lost", c.Lost, c.Sent)
	w.of(c.Refused, "signal", "refused by the kernel: the queue was full (RLIMIT_SIGPENDING, ulimit -i)")
	w.of(c.RingDrops, "signal", "received whose latency was not kept: the recorder was too slow")
	w.of(c.Invalid, "signal", "without a valid latency, in no figure: it took half a second or more, above any maximum told (--segments measures it), or the clock was set")
	w.of(c.Duplicates, "signal", "received twice")
	w.of(c.Reordered, "signal", "received out of order")
	w.of(c.WrongCPU, "signal", "received on another CPU than asked for")
	w.of(c.Overruns, "period", "skipped: the timer was late by a whole period or more")
	return w
}

// early says why a run is not complete, if it is not.
func early(run *recording.Run, err error) string {
	switch {
	case err != nil:
		return "the run failed: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	case !run.Complete:
		return fmt.Sprintf("the run was ended early: %d sent", run.Counts.Sent)
	}
	return ""
}

// conditions lists what about the machine and the set-up makes the figures
// say less than they seem to.
func conditions(run *recording.Run) []string {
	var w warnings
	e, h := run.Effective, run.Host
	realTime := run.Clock == host.ClockReal
	priority := e.Policy == string(sigwait.PolicyFIFO) || e.Policy == string(sigwait.PolicyRR)
	threads := run.Config.Source == string(sigwait.SourceTimer)
	w.add(len(e.CPUs) > 1 && e.Placement != "same", "the receiver was not bound to a CPU (--cpu): it may have moved between %d of them", len(e.CPUs))
	w.add(e.TimerCPU < 0 && !threads, "the sender was not bound to a CPU (--timer-cpu): some signals may have crossed CPUs, others not")
	w.add(!e.MemLocked, "memory is not locked (RLIMIT_MEMLOCK, ulimit -l): a page fault may count as latency")
	w.add(e.Stamp == "portable", "this build stamps in Go, not in assembly: latencies include the way through the Go scheduler")
	// Throttling holds a thread for tens of milliseconds at a time, sched(7).
	w.add(priority && run.Config.Receiver == "busy" && h.RTRuntimeUS > 0 && run.Latency.Max > int64(10*time.Millisecond),
		"real-time throttling is on (kernel.sched_rt_runtime_us=%d): it may have stopped the spinning receiver for a part of each second", h.RTRuntimeUS)
	w.add(realTime && h.Governor != "" && h.Governor != "performance",
		"the frequency governor is %s, not performance: latencies include changes of frequency", h.Governor)
	w.add(realTime && h.Hypervisor != "", "real time inside a virtual machine (%s): latencies include what its host does", h.Hypervisor)
	return w
}
