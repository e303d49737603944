// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"siglat/cmd/internal/cli"
	"siglat/sigwait"
)

// options are the command line.
type options struct {
	config     sigwait.Config
	source     choice
	mode       choice
	instead    error // why the source auto is not the kernel
	xenomai    bool  // print as Xenomai's latency
	duration   time.Duration
	cpus       cpuList
	deadline   reservation
	dmaLatency microseconds

	out, name           string
	blame               bool
	blameEvery          time.Duration
	breakAbove          time.Duration
	rotate              time.Duration
	metrics             string
	samples, json       bool
	quiet, version      bool
	receiver            choice
	clock, sendingPlace choice
}

const (
	sourceAuto    = "auto"
	defaultDevice = "/dev/siglat"
	defaultCount  = 1000
	defaultPeriod = 100 * time.Millisecond
	maxPriority   = 99
)

// parse reads the command line. The error is a usage error or pflag.ErrHelp.
func parse(args []string, stdout io.Writer) (*options, error) {
	o := &options{
		config:       sigwait.Config{CPU: sigwait.AnyCPU, TimerCPU: sigwait.AnyCPU},
		source:       choice{sourceAuto, []string{"kernel", "user", "timer", sourceAuto}},
		mode:         choice{"user", []string{"user", "kthread", "irq"}},
		receiver:     choice{sigwait.Receivers()[0], sigwait.Receivers()},
		clock:        choice{"monotonic", []string{"monotonic", "realtime"}},
		sendingPlace: choice{"auto", []string{"auto", "softirq", "hardirq", "thread"}},
	}
	c := command()
	given := o.define(c)
	o.defineBlame(c)
	o.defineOutput(c)
	operands, err := c.Parse(args, stdout)
	if err != nil {
		return nil, err
	}
	if len(operands) > 0 {
		return nil, cli.Usagef("unexpected argument %.40q (try sigwait --help)", operands[0])
	}
	if err := o.resolve(c, given); err != nil {
		return nil, err
	}
	return o, nil
}

func command() *cli.Command {
	return &cli.Command{
		Name:     "sigwait",
		Synopsis: "[flags]",
		Sub:      subcommands(),
		About: `Receives a signal each period and measures how long it takes: from the time
stamp that the sender takes just before sending to the one that the receiver
takes first of all. Standard output is one latency in ns per line, or on a
terminal a line a second and a summary.`,
		Exit: "3 a signal took longer than --break-above",
		Examples: []string{
			"sigwait --cpu 1 --timer-cpu 0 > latencies.txt",
			"sigwait --busy --cpu 0 --timer-cpu 0 --fifo 40 -o runs/busy-same-fifo",
			"sigwait --source user -t 10s --period 1ms",
		},
	}
}

// given are flags that stand for another setting.
type given struct {
	busy, other *bool
	fifo, rr    *int
}

func (o *options) define(c *cli.Command) (g given) {
	f := c.Group("Measure")
	f.Var(&o.source, "source", "`SENDER` of the signals: kernel (the module), user (a thread of this\nprocess), auto: the module where it is loaded; or timer: no signals,\nthreads sleep until absolute times, one on each CPU of --cpu")
	f.Var(&o.mode, "mode", "`WHOM` the module's timer serves: user (a signal to the receiver), kthread\n(a thread of the module, with --fifo its priority), irq (nobody); prints as\nXenomai's latency does, from the expiry of the timer")
	f.StringVar(&o.config.Device, "device", defaultDevice, "`PATH` of the module's device")
	f.DurationVar(&o.config.Period, "period", defaultPeriod, "`TIME` between two signals")
	f.Uint64VarP(&o.config.Count, "count", "n", defaultCount, "end after `N` signals, wake-ups of each thread of the timer;\n0, or --duration alone: no such end")
	f.VarP((*days)(&o.duration), "duration", "t", "end after this `TIME`, as 10s or 30d")
	f.Var(cpuNumber{&o.config.TimerCPU}, "timer-cpu", "`CPU` of the timer or sending thread (default: the receiver's at the start)")
	f.Var(&o.sendingPlace, "context", "`WHERE` the module sends: auto, softirq, hardirq, thread")
	f.Var(&o.clock, "clock", "`CLOCK` of the time stamps: monotonic, realtime")

	f.BoolVar(&o.config.Segments, "segments", false, "also measure the parts of the way (timer, module, total); costs the\nmodule a reading of the clock after each signal")

	f = c.Group("Receiving thread")
	f.Var(&o.receiver, "receiver", "`HOW` it waits:\n"+strings.Join(o.receiver.of, ", "))
	g.busy = f.Bool("busy", false, "the same as --receiver busy")
	f.Var(&o.cpus, "cpu", "`CPU` to which it is bound (default: none); a list, as 0,2-3, for the\nsource timer")
	g.fifo = f.Int("fifo", 0, "policy SCHED_FIFO with `PRIORITY` 1 to 99 (default: policy as started)")
	g.rr = f.Int("rr", 0, "policy SCHED_RR with `PRIORITY` 1 to 99")
	f.Var(&o.deadline, "deadline", "policy SCHED_DEADLINE with `TIMES` RUNTIME:DEADLINE:PERIOD, as 1ms:5ms:10ms;\nnot with --cpu, unless by an exclusive cpuset")
	g.other = f.Bool("other", false, "policy SCHED_OTHER")
	f.Var(&o.dmaLatency, "dma-latency", "hold the wake-up time of idle CPUs at `US` microseconds for the run;\n0: no idle states")
	return g
}

func (o *options) defineBlame(c *cli.Command) {
	f := c.Group("Blame")
	f.BoolVar(&o.blame, "blame", false, "tell of the worst latencies who had the CPU, by the module's probes on\nthe kernel's tracepoints; a switch of tasks takes longer meanwhile")
	f.DurationVar(&o.blameEvery, "blame-every", 0, "with --blame and --out: histograms of the parts (DIR/blame.hlog) and\nthe worst sample (DIR/max_latency.txt) of each `TIME`, not of the run")
	f.DurationVar(&o.breakAbove, "break-above", 0, "end at the first signal that takes longer than this `TIME`, from the\nexpiry of its timer, with exit status 3 and DIR/trace.txt; with --blame.\nAnother thread wakes up after each signal, or each millisecond")
}

func (o *options) defineOutput(c *cli.Command) {
	f := c.Group("Output")
	f.StringVarP(&o.out, "out", "o", "", "record the run in the directory `DIR`, which must not hold one yet")
	f.Var((*days)(&o.rotate), "rotate", "go on in a new directory DIR/TIMESTAMP after each `TIME`, as 1h;\nno signal is left out between them")
	f.StringVar(&o.metrics, "metrics", "", "let Prometheus read the run at `ADDRESS`, as 127.0.0.1:9464 or :9464")
	f.StringVar(&o.name, "name", "", "`NAME` of the run (default: that of the directory, or sigwait)")
	f.BoolVar(&o.samples, "samples", false, "also write every latency to DIR/samples.txt")
	f.BoolVar(&o.json, "json", false, "print run.json on standard output and nothing else")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVar(&o.version, "version", false, "print the version; --man prints the manual page, --completion SHELL\nwhat bash, zsh or fish need to complete flags")
}

// resolve checks what must fit together and fills in the configuration.
func (o *options) resolve(c *cli.Command, g given) error {
	if *g.busy {
		if c.Changed("receiver") && o.receiver.value != "busy" {
			return cli.Usagef("--busy and --receiver %s: use one", o.receiver.value)
		}
		if err := o.receiver.Set("busy"); err != nil {
			return cli.Usagef("--busy: not in this build: %w", err)
		}
	}
	if err := o.resolvePolicy(c, g); err != nil {
		return err
	}
	if err := errors.Join(o.resolveMode(c), o.resolveThreads(c)); err != nil {
		return err
	}
	for _, flag := range []struct {
		name string
		bad  bool
		want string
	}{
		{"period", o.config.Period <= 0, "a time above zero, such as 100ms"},
		{"count", o.config.Period > 0 && o.config.Count > uint64(math.MaxInt64/o.config.Period), "fewer signals: they would take more than 292 years"},
		{"duration", o.duration < 0 || c.Changed("duration") && o.duration == 0, "a time above zero, such as 10s"},
		{"context", c.Changed("context") && o.source.value == "user", "the source kernel"},
		{"break-above", c.Changed("break-above") && o.breakAbove <= 0, "a time above zero, such as 200us"},
		{"blame-every", c.Changed("blame-every") && (o.blameEvery <= 0 || !o.blame || o.out == ""), "a time above zero, and to be with --blame and --out"},
		{"clock", (o.blame || o.breakAbove > 0) && o.clock.value != "monotonic", "to be monotonic with --blame"},
		{"rotate", c.Changed("rotate") && (o.rotate < time.Second || o.out == "" || o.blame || o.breakAbove > 0 || o.json), "a second or more, --out, and neither --blame nor --json"},
		{"metrics", c.Changed("metrics") && o.metrics == "", "an address, such as 127.0.0.1:9464"},
		{"device", o.config.Device == "", "the path of a device, such as " + defaultDevice},
		// "=" is what -o=$DIR gives for an empty DIR.
		{"out", c.Changed("out") && (o.out == "" || o.out == "="), "the name of a directory, not an empty one"},
		{"samples", o.samples && o.out == "", "--out DIR"},
		{"quiet", o.quiet && o.json, "to be without --json"},
	} {
		if flag.bad {
			return cli.Usagef("--%s: wants %s", flag.name, flag.want)
		}
	}
	o.blame = o.blame || o.breakAbove > 0
	o.config.Prompt = o.breakAbove > 0
	if o.duration > 0 && !c.Changed("count") {
		o.config.Count = 0
	}
	if o.name == "" {
		o.name = runName(o.out)
	}
	o.config.Clock, o.config.Context = sigwait.Clock(o.clock.value), sigwait.Context(o.sendingPlace.value)
	return nil
}

// runName returns the name of a run that is not given one.
func runName(dir string) string {
	if dir == "" {
		return "sigwait"
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}
