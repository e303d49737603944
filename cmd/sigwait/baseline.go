// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	figures "siglat/analysis/baseline"
	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/sigwait/baseline"
)

const baselineName = "baseline"

// maxProcs is the most processes of a ring, as lmbench has them.
const maxProcs = 96

// A measurer is what the subcommand needs of package baseline.
type measurer struct {
	ring    func(context.Context, baseline.Ring) ([]int64, error)
	calls   func(cpu, priority, rounds, repeats int) ([]baseline.Call, error)
	canFIFO func(priority int) error
}

var baselines = measurer{func(ctx context.Context, r baseline.Ring) ([]int64, error) { return r.Run(ctx) }, baseline.Calls, baseline.CanFIFO}

type baselineOptions struct {
	dir         string
	json        bool
	procs, kib  []int
	rounds      int
	repeats     int
	base        baseline.Ring // CPU, Priority, Threads
	priorityWas bool          // asked for, not the default
}

func parseBaseline(args []string, stdout io.Writer) (*baselineOptions, error) {
	c := cli.Command{Name: "sigwait baseline", Synopsis: "[flags]",
		About: `Measures what a latency is made of: a ping-pong of two processes, switches in
rings of processes that touch memory, as lmbench's lat_ctx, and the calls of a
signal. What the calls take without a switch is measured and subtracted.`,
		Examples: []string{"sigwait baseline --cpu 1 -o runs/this"}}
	o := &baselineOptions{}
	f := c.Group("Measurement")
	f.IntVar(&o.base.CPU, "cpu", 0, "`CPU` on which all run")
	f.IntVar(&o.base.Priority, "fifo", 99, "SCHED_FIFO `PRIORITY` 1 to 99, 0 for SCHED_OTHER")
	f.IntSliceVar(&o.procs, "procs", []int{2, 8, 16}, fmt.Sprintf("`NUMBERS` of processes of the rings, 2 to %d", maxProcs))
	f.IntSliceVar(&o.kib, "kib", []int{0, 16, 64}, "`SIZES` in KiB that each touches, up to 65536")
	f.BoolVar(&o.base.Threads, "threads", false, "rings of threads, not of processes")
	f.IntVar(&o.rounds, "rounds", 5000, "`ROUNDS` of the ping-pong, two switches each")
	f.IntVar(&o.repeats, "repeats", 11, "`NUMBER` of repetitions, of which medians are taken")
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
		{"fifo", []int{o.base.Priority}, 0, 99}, {"cpu", []int{o.base.CPU}, 0, 1023},
		{"procs", o.procs, 2, maxProcs}, {"kib", o.kib, 0, 1 << 16},
		{"rounds", []int{o.rounds}, 1, 1e7}, {"repeats", []int{o.repeats}, 1, 1e4},
	} {
		for _, n := range v.values {
			if n < v.low || n > v.high {
				return cli.Usagef("--%s %d: want %d to %d", v.flag, n, v.low, v.high)
			}
		}
	}
	return nil
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
	b := &figures.Baseline{Version: figures.Version, Clock: host.Clock(lab), CPU: o.base.CPU, Threads: o.base.Threads, Warnings: []string{}}
	if err := m.canFIFO(o.base.Priority); err != nil {
		if o.priorityWas {
			return err
		}
		o.base.Priority = 0
		b.Warnings = append(b.Warnings, fmt.Sprintf("measured at SCHED_OTHER: %v", err))
	}
	b.Priority = o.base.Priority
	if err := m.measure(ctx, o, b); err != nil {
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

// matrixPasses is how often the token of a ring of the matrix goes on in each
// repetition: below the 50 ms in which real-time throttling shows.
const matrixPasses = 2000

func (m *measurer) measure(ctx context.Context, o *baselineOptions, b *figures.Baseline) (err error) {
	ring := func(procs, bytes, rounds int, eventfd bool) (s figures.Switch) {
		r := o.base
		r.Procs, r.Bytes, r.Rounds, r.Repeats, r.Eventfd = procs, bytes, rounds, o.repeats, eventfd
		var pass, overhead []int64
		if err == nil {
			pass, err = m.ring(ctx, r)
		}
		if r.Overhead = true; err == nil {
			overhead, err = m.ring(ctx, r)
		}
		return figures.NewSwitch(procs, bytes, rounds, pass, overhead)
	}
	b.PingPong = ring(2, 0, o.rounds, false)
	b.Eventfd = ring(2, 0, o.rounds, true)
	for _, kib := range o.kib {
		for _, procs := range o.procs {
			b.Matrix = append(b.Matrix, ring(procs, kib<<10, max(matrixPasses/procs, 1), false))
		}
	}
	if err != nil {
		return err
	}
	const rounds = 1000
	calls, err := m.calls(o.base.CPU, o.base.Priority, rounds, o.repeats)
	for _, c := range calls {
		b.Calls = append(b.Calls, figures.Call{Name: c.Name, NS: figures.PerRound(c.TotalNS, c.Rounds)})
	}
	if err != nil {
		return err
	}
	res, err := baseline.TimerResolution()
	b.TimerResolutionNS = res.Nanoseconds()
	return err
}

func baselineText(w io.Writer, b *figures.Baseline) error {
	policy := "SCHED_OTHER"
	if b.Priority > 0 {
		policy = fmt.Sprintf("FIFO %d", b.Priority)
	}
	fmt.Fprintf(w, "CPU %d, %s, %s time, ns, medians\n\n", b.CPU, policy, b.Clock)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "switch\tprocesses\tKiB\tpass\tcalls alone\tswitch\t")
	row := func(name string, s figures.Switch) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, s.Procs, s.Bytes>>10, s.PassNS, s.OverheadNS, s.SwitchNS)
	}
	row("ping-pong", b.PingPong)
	row("eventfd", b.Eventfd)
	for _, s := range b.Matrix {
		row("ring", s)
	}
	fmt.Fprintln(t)
	for _, c := range b.Calls {
		fmt.Fprintf(t, "%s\t%d\t\n", c.Name, c.NS)
	}
	fmt.Fprintf(t, "timer resolution\t%d\t\n", b.TimerResolutionNS)
	return t.Flush()
}
