// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	figures "siglat/analysis/baseline"
	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
	"siglat/sigwait/baseline"
)

const baselineName = "baseline"

// maxProcs is the most processes of a ring, as lmbench has them.
const maxProcs = 96

type baselineOptions struct {
	dir         string
	json        bool
	procs, kib  []int
	rounds      int
	repeats     int
	base        baseline.Ring // CPUs, Priority, Threads
	period      time.Duration
	count       uint64
	device      string
	priorityWas bool // asked for, not the default
}

func parseBaseline(args []string, stdout io.Writer) (*baselineOptions, error) {
	c := cli.Command{Name: "sigwait baseline", Synopsis: "[flags]",
		About: `Measures what a latency is made of: a ping-pong of two processes, switches in
rings of processes that touch memory, as lmbench's lat_ctx, the calls of a
signal, as its lat_sig, and timers, as cyclictest, and with the module until
its callback and its thread. What the calls of a switch take without one is
measured and subtracted.`,
		Examples: []string{"sigwait baseline --cpu 1 -o runs/this"}}
	o := &baselineOptions{}
	f := c.Group("Measurement")
	o.base.CPUs = []int{0}
	f.IntVar(&o.base.CPUs[0], "cpu", 0, "`CPU` on which all run")
	f.IntVar(&o.base.Priority, "fifo", 99, "SCHED_FIFO `PRIORITY` 1 to 99, 0 for SCHED_OTHER")
	f.IntSliceVar(&o.procs, "procs", []int{2, 8, 16}, fmt.Sprintf("`NUMBERS` of processes of the rings, 2 to %d", maxProcs))
	f.IntSliceVar(&o.kib, "kib", []int{0, 16, 64}, "`SIZES` in KiB that each touches, up to 65536")
	f.BoolVar(&o.base.Threads, "threads", false, "rings of threads, not of processes")
	f.IntVar(&o.rounds, "rounds", 5000, "`ROUNDS` of the ping-pong, two switches each")
	f.IntVar(&o.repeats, "repeats", 11, "`NUMBER` of repetitions, of which medians are taken")
	f.DurationVar(&o.period, "period", time.Millisecond, "`TIME` between two expiries of the timers")
	f.Uint64Var(&o.count, "count", 1000, "`NUMBER` of expiries of each timer")
	f.StringVar(&o.device, "device", defaultDevice, "`PATH` of the module's device, for its modes irq and kthread")
	f = c.Group("Output")
	f.StringVarP(&o.dir, "out", "o", "", "write "+figures.File+" into the directory `DIR`, such as that of a run")
	f.BoolVar(&o.json, "json", false, "print JSON")
	operands, err := c.Parse(args, stdout)
	if err != nil {
		return nil, err
	}
	o.priorityWas = c.Changed("fifo")
	if len(operands) > 0 {
		return nil, cli.Usagef("operand %.40q: %s has none", operands[0], c.Name)
	}
	return o, o.check()
}

func (o *baselineOptions) check() error {
	for _, v := range []struct {
		flag      string
		values    []int
		low, high int
	}{
		{"fifo", []int{o.base.Priority}, 0, 99}, {"cpu", o.base.CPUs, 0, 1023},
		{"procs", o.procs, 2, maxProcs}, {"kib", o.kib, 0, 1 << 16},
		{"rounds", []int{o.rounds}, 1, 1e7}, {"repeats", []int{o.repeats}, 1, 1e4},
	} {
		for _, n := range v.values {
			if n < v.low || n > v.high {
				return cli.Usagef("--%s %d: want %d to %d", v.flag, n, v.low, v.high)
			}
		}
	}
	if o.period < 10*time.Microsecond || o.period > time.Minute || o.count < 1 || o.count > 1e9 {
		return cli.Usagef("--period %v, --count %d: want 10us to 1m, 1 to 1000000000", o.period, o.count)
	}
	return nil
}

// timed returns what all measurements of timers share.
func (o *baselineOptions) timed(source sigwait.Source) sigwait.Config {
	c := sigwait.Config{Source: source, Device: o.device, CPU: sigwait.AnyCPU, TimerCPU: sigwait.AnyCPU,
		Clock: sigwait.ClockMonotonic, Context: sigwait.ContextAuto, Period: o.period, Count: o.count}
	if o.base.Priority > 0 {
		c.Policy, c.Priority = sigwait.PolicyFIFO, o.base.Priority
	}
	return c
}

func baselineCommand(ctx context.Context, args []string, m measurer, stdout, stderr io.Writer) error {
	o, err := parseBaseline(args, stdout)
	if err != nil {
		return err
	}
	lab, err := host.Lab(os.Getenv(host.LabVariable))
	if err != nil {
		return err
	}
	b := &figures.Baseline{Version: figures.Version, Clock: host.Clock(lab), CPU: o.base.CPUs[0], Threads: o.base.Threads, Warnings: []string{}}
	if err := m.canFIFO(o.base.Priority); err != nil {
		if o.priorityWas {
			return err
		}
		o.base.Priority = 0
		b.Warnings = append(b.Warnings, fmt.Sprintf("measured at SCHED_OTHER: %v", err))
	}
	b.Priority = o.base.Priority
	ctx, _, stop := ending(ctx, false)
	defer stop()
	if err := m.measure(ctx, o, b); err != nil {
		if ctx.Err() != nil { // what was measured then is not whole
			return fmt.Errorf("interrupted, nothing was written: %w", ctx.Err())
		}
		return err
	}
	for _, w := range b.Warnings {
		fmt.Fprintf(stderr, "sigwait: %s\n", w)
	}
	if o.dir != "" {
		if err := os.MkdirAll(o.dir, 0o777); err != nil {
			return fmt.Errorf("create directory: %w", err)
		}
		if err := b.Write(o.dir); err != nil {
			return err
		}
	}
	if o.json {
		return outputError(b.Encode(stdout))
	}
	return outputError(baselineText(stdout, b))
}
