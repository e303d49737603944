// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"os"
	"runtime"
	"slices"

	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
)

// newRun returns what is known of a run before it starts.
func newRun(o *options) (*recording.Run, error) {
	c := o.config
	if len(c.CPUs) > 0 {
		c.CPU = c.CPUs[0]
	}
	facts, err := host.Here(c.CPU)
	if err != nil {
		return nil, err
	}
	run := &recording.Run{
		Version: recording.Version,
		Name:    o.name,
		Command: os.Args,
		Tool:    cli.Version("sigwait"),
		Host:    facts,

		GoVersion: runtime.Version(),
		Config: recording.Config{
			Source: string(c.Source), Mode: mode(&c), Receiver: receiver(&c), CPU: c.CPU, CPUs: c.CPUs, TimerCPU: c.TimerCPU,
			Policy: string(c.Policy), Priority: c.Priority, PeriodNS: int64(c.Period), Count: c.Count,
			DurationNS: int64(o.duration), StampClock: string(c.Clock), Context: string(c.Context),
			Deadline: deadline(c.Deadline), DMALatencyUS: c.DMALatencyUS, Blame: o.blame,
		},
	}
	run.Clock = host.Clock(run.Host.Lab)
	if run.Host.IdleStates == nil {
		run.Host.IdleStates = []string{}
	}
	run.Warnings = []string{}
	return run, nil
}

// effective returns what was in force.
func effective(o *options, res *sigwait.Result) recording.Effective {
	e := res.Effective
	if e.CPUs == nil {
		e.CPUs = []int{}
	}
	place := placement(e.CPUs, e.TimerCPU)
	if len(o.config.CPUs) > 0 {
		place = "same" // the timer of a sleep is where the thread went to sleep
	}
	return recording.Effective{
		Policy: string(e.Policy), Priority: e.Priority, CPUs: e.CPUs, TimerCPU: e.TimerCPU,
		Placement: place, Context: string(e.Context),
		Receiver: receiver(&o.config), Stamp: e.Stamp, MemLocked: e.MemLocked, StampClock: string(o.config.Clock),
		Deadline: deadline(e.Deadline), DMALatencyUS: e.DMALatencyUS,
	}
}

func receiver(c *sigwait.Config) string {
	if c.Source == sigwait.SourceTimer {
		return sigwait.ReceiverTimer
	}
	if c.Receiver == "" {
		return mode(c)
	}
	return c.Receiver
}

// mode is empty where the module has no part in the run.
func mode(c *sigwait.Config) string {
	if c.Source != sigwait.SourceKernel {
		return ""
	}
	return string(c.Mode)
}

func deadline(d sigwait.Deadline) *recording.Deadline {
	if d == (sigwait.Deadline{}) {
		return nil
	}
	return &recording.Deadline{RuntimeNS: int64(d.Runtime), DeadlineNS: int64(d.Deadline), PeriodNS: int64(d.Period)}
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
