// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
)

// newRun returns what is known of a run before it starts.
func newRun(o *options) *recording.Run {
	c := o.config
	run := &recording.Run{
		Version: recording.Version,
		Name:    o.name,
		Command: os.Args,
		Tool:    cli.Version("sigwait"),
		Host:    host.Here(c.CPU),
		Config: recording.Config{
			Source: string(c.Source), Receiver: c.Receiver, CPU: c.CPU, TimerCPU: c.TimerCPU,
			Policy: string(c.Policy), Priority: c.Priority, PeriodNS: int64(c.Period), Count: c.Count,
			DurationNS: int64(o.duration), StampClock: string(c.Clock), Context: string(c.Context),
		},
	}
	run.Clock = host.Clock(run.Host.Lab)
	if run.Host.IdleStates == nil {
		run.Host.IdleStates = []string{}
	}
	return run
}

// effective returns what was in force.
func effective(o *options, res *sigwait.Result) recording.Effective {
	e := res.Effective
	return recording.Effective{
		Policy: string(e.Policy), Priority: e.Priority, CPUs: e.CPUs, TimerCPU: e.TimerCPU,
		Placement: placement(e.CPUs, e.TimerCPU), Context: string(e.Context),
		Receiver: o.config.Receiver, Stamp: e.Stamp, MemLocked: e.MemLocked, StampClock: string(o.config.Clock),
	}
}

// placement tells where the receiver was against the timer: same, other, or
// floating where that was not fixed.
func placement(cpus []int, timer int) string {
	switch {
	case timer < 0:
		return "floating"
	case !slices.Contains(cpus, timer):
		return "other"
	case len(cpus) == 1:
		return "same"
	}
	return "floating"
}

func counts(c sigwait.Counts) recording.Counts {
	return recording.Counts{
		Sent: c.Sent, Received: c.Received, Lost: c.Lost, Refused: c.Refused, Overruns: c.Overruns,
		Duplicates: c.Duplicates, Reordered: c.Reordered, Invalid: c.Invalid,
		WrongCPU: c.WrongCPU, RingDrops: c.RingDrops,
	}
}

// Warnings that describe the conditions of a run, not something that
// happened in it.
const (
	virtualTime = "virtual time: one instruction takes one nanosecond; caches, frequencies and real interrupts are not in these figures"
	notLocked   = "memory is not locked (RLIMIT_MEMLOCK, ulimit -l): a page fault may count as latency"
	portable    = "this build stamps in Go, not in assembly: latencies include the way through the Go scheduler"
)

// warnings lists what a reader of the figures must know.
func warnings(run *recording.Run, res *sigwait.Result, err error) []string {
	list := []string{}
	add := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	c := run.Counts
	add(c.Lost > 0, "%d of %d signals lost", c.Lost, c.Sent)
	add(c.Refused > 0, "%d signals refused by the kernel: the queue was full (RLIMIT_SIGPENDING, ulimit -i)", c.Refused)
	add(c.RingDrops > 0, "%d signals received whose latency was not kept: the recorder was too slow", c.RingDrops)
	add(c.Invalid > 0, "%d signals without a valid latency: half a second or more, or the clock was set", c.Invalid)
	add(c.Duplicates > 0, "%d signals received twice", c.Duplicates)
	add(c.Reordered > 0, "%d signals received out of order", c.Reordered)
	add(c.WrongCPU > 0, "%d signals received on another CPU than asked for", c.WrongCPU)
	add(c.Overruns > 0, "%d periods skipped: the timer was late by a whole period or more", c.Overruns)
	add(!run.Complete && err == nil, "the run was ended early")
	if err != nil {
		list = append(list, "the run failed: "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	list = append(list, res.Warnings...)
	add(!run.Effective.MemLocked, notLocked)
	add(run.Effective.Stamp == "portable", portable)
	add(run.Clock == host.ClockVirtual, virtualTime)
	return list
}

// spoken returns the warnings that are worth saying beside piped figures; a
// failure is said anyway.
func spoken(run *recording.Run) []string {
	return slices.DeleteFunc(slices.Clone(run.Warnings), func(w string) bool {
		return w == virtualTime || strings.HasPrefix(w, "the run ")
	})
}
