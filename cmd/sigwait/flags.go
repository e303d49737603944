// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
)

// options are the command line.
type options struct {
	config   sigwait.Config
	source   choice
	duration time.Duration

	out, name           string
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

// A choice is a flag with one of a few values.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.of, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.of, s) {
		return fmt.Errorf("use %s", strings.Join(c.of, ", "))
	}
	c.value = s
	return nil
}

// A cpuNumber is a flag with the number of a CPU.
type cpuNumber struct{ cpu *int }

func (c cpuNumber) Type() string { return "CPU" }

func (c cpuNumber) String() string {
	if c.cpu == nil || *c.cpu == sigwait.AnyCPU {
		return ""
	}
	return strconv.Itoa(*c.cpu)
}

func (c cpuNumber) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return errors.New("use a CPU number, from 0")
	}
	*c.cpu = int(n)
	return nil
}

// parse reads the command line. The error is a usage error or pflag.ErrHelp.
func parse(args []string, stdout io.Writer) (*options, error) {
	o := &options{
		config:       sigwait.Config{CPU: sigwait.AnyCPU, TimerCPU: sigwait.AnyCPU},
		source:       choice{sourceAuto, []string{"kernel", "user", sourceAuto}},
		receiver:     choice{sigwait.Receivers()[0], sigwait.Receivers()},
		clock:        choice{"monotonic", []string{"monotonic", "realtime"}},
		sendingPlace: choice{"auto", []string{"auto", "softirq", "hardirq", "thread"}},
	}
	c := command()
	given := o.define(c)
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
		About: `Receives a signal each period and measures how long it takes: from the time
stamp that the sender takes just before sending to the one that the receiver
takes first of all. Standard output is one latency in ns per line, or on a
terminal a line a second and a summary.`,
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
	f.Var(&o.source, "source", "`SENDER` of the signals: kernel (the module), user (a thread of this\nprocess), or auto: the module where it is loaded")
	f.StringVar(&o.config.Device, "device", defaultDevice, "`PATH` of the module's device")
	f.DurationVar(&o.config.Period, "period", defaultPeriod, "`TIME` between two signals")
	f.Uint64VarP(&o.config.Count, "count", "n", defaultCount, "end after `N` signals; 0, or --duration alone: no such end")
	f.DurationVarP(&o.duration, "duration", "t", 0, "end after this `TIME`")
	f.Var(cpuNumber{&o.config.TimerCPU}, "timer-cpu", "`CPU` of the timer or sending thread (default: the receiver's at the start)")
	f.Var(&o.sendingPlace, "context", "`WHERE` the module sends: auto, softirq, hardirq, thread")
	f.Var(&o.clock, "clock", "`CLOCK` of the time stamps: monotonic, realtime")

	f.BoolVar(&o.config.Segments, "segments", false, "also measure the parts of the way (timer, module, total); costs the\nmodule a reading of the clock after each signal")

	f = c.Group("Receiving thread")
	f.Var(&o.receiver, "receiver", "`HOW` it waits:\n"+strings.Join(o.receiver.of, ", "))
	g.busy = f.Bool("busy", false, "the same as --receiver busy")
	f.Var(cpuNumber{&o.config.CPU}, "cpu", "`CPU` to which it is bound (default: none)")
	g.fifo = f.Int("fifo", 0, "policy SCHED_FIFO with `PRIORITY` 1 to 99 (default: policy as started)")
	g.rr = f.Int("rr", 0, "policy SCHED_RR with `PRIORITY` 1 to 99")
	g.other = f.Bool("other", false, "policy SCHED_OTHER")
	return g
}

func (o *options) defineOutput(c *cli.Command) {
	f := c.Group("Output")
	f.StringVarP(&o.out, "out", "o", "", "record the run in the directory `DIR`, which must not hold one yet")
	f.StringVar(&o.name, "name", "", "`NAME` of the run (default: that of the directory, or sigwait)")
	f.BoolVar(&o.samples, "samples", false, "also write every latency to DIR/samples.txt")
	f.BoolVar(&o.json, "json", false, "print run.json on standard output and nothing else")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVar(&o.version, "version", false, "print the version")
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
	for _, flag := range []struct {
		name string
		bad  bool
		want string
	}{
		{"period", o.config.Period <= 0, "a time above zero, such as 100ms"},
		{"count", o.config.Period > 0 && o.config.Count > uint64(math.MaxInt64/o.config.Period), "fewer signals: they would take more than 292 years"},
		{"duration", o.duration < 0 || c.Changed("duration") && o.duration == 0, "a time above zero, such as 10s"},
		{"context", c.Changed("context") && o.source.value == "user", "the source kernel"},
		{"samples", o.samples && o.out == "", "--out DIR"},
		{"quiet", o.quiet && o.json, "to be without --json"},
	} {
		if flag.bad {
			return cli.Usagef("--%s: wants %s", flag.name, flag.want)
		}
	}
	if o.duration > 0 && !c.Changed("count") {
		o.config.Count = 0
	}
	if o.name == "" {
		o.name = runName(o.out)
	}
	o.config.Receiver = o.receiver.value
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

// checkCPUs finds CPUs that are not in the list of those online; an empty
// list is not known.
func (o *options) checkCPUs(online string) error {
	for _, f := range []struct {
		name string
		cpu  int
	}{{"cpu", o.config.CPU}, {"timer-cpu", o.config.TimerCPU}} {
		if f.cpu != sigwait.AnyCPU && online != "" && !host.Listed(online, f.cpu) {
			return cli.Usagef("--%s %d: not online (online: %s)", f.name, f.cpu, online)
		}
	}
	return nil
}

func (o *options) resolvePolicy(c *cli.Command, g given) error {
	asked := 0
	for _, p := range []struct {
		flag     string
		given    bool
		policy   sigwait.Policy
		priority int
	}{
		{"fifo", c.Changed("fifo"), sigwait.PolicyFIFO, *g.fifo},
		{"rr", c.Changed("rr"), sigwait.PolicyRR, *g.rr},
		{"other", *g.other, sigwait.PolicyOther, 0},
	} {
		if !p.given {
			continue
		}
		if p.policy != sigwait.PolicyOther && (p.priority < 1 || p.priority > maxPriority) {
			return cli.Usagef("--%s %d: wants a priority from 1 to %d", p.flag, p.priority, maxPriority)
		}
		asked++
		o.config.Policy, o.config.Priority = p.policy, p.priority
	}
	if asked > 1 {
		return cli.Usagef("--fifo, --rr and --other: use one")
	}
	return nil
}
