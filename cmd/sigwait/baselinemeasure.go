// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	figures "siglat/analysis/baseline"
	"siglat/sigwait"
	"siglat/sigwait/baseline"
)

// A measurer is what the subcommand needs of the packages baseline and sigwait.
type measurer struct {
	ring    func(context.Context, baseline.Ring) ([]int64, error)
	calls   func(cpu, priority, rounds, repeats int) ([]baseline.Call, error)
	wakeUps func(cpu, priority, rounds int) (waking, alone []int64, err error)
	spin    func(cpu, priority int, delay, span time.Duration) ([]baseline.Gap, error)
	canFIFO func(priority int) error
	cpus    func() ([]int, error)
	engine
}

var baselines = measurer{func(ctx context.Context, r baseline.Ring) ([]int64, error) { return r.Run(ctx) },
	baseline.Calls, baseline.WakeUps, baseline.Spin, baseline.CanFIFO, baseline.CPUs, library}

// matrixPasses is how often the token of a ring of the matrix goes on in each
// repetition: below the 50 ms in which real-time throttling shows.
const matrixPasses = 2000

func (m *measurer) measure(ctx context.Context, o *baselineOptions, b *figures.Baseline) error {
	cpus, err := m.cpus()
	if err != nil {
		return fmt.Errorf("CPUs of this process: %w", err)
	}
	if err := m.switches(ctx, o, b, cpus); err != nil {
		return err
	}
	const rounds = 1000
	calls, err := m.calls(o.base.CPUs[0], o.base.Priority, rounds, o.repeats)
	for _, c := range calls {
		b.Calls = append(b.Calls, figures.Call{Name: c.Name, NS: figures.PerRound(c.TotalNS, c.Rounds)})
	}
	if err != nil {
		return err
	}
	// As lat_sig of lmbench has it.
	check, ok1 := b.Cost(figures.CostCheck)
	caught, ok2 := b.Cost(figures.CostCaught)
	if ok1 && ok2 {
		b.Calls = append(b.Calls, figures.Call{Name: figures.CostHandler, NS: caught - check})
	}
	if err := m.wakeUp(o, b); err != nil {
		return err
	}
	res, err := baseline.TimerResolution()
	if err != nil {
		return err
	}
	b.TimerResolutionNS, b.PeriodNS = res.Nanoseconds(), o.period.Nanoseconds()
	if err := m.timers(ctx, o, b, cpus); err != nil {
		return err
	}
	if err := m.probe(o.device); err != nil {
		b.Warnings = append(b.Warnings, fmt.Sprintf("not measured: the modes irq and kthread of the module: %v", err))
		return nil
	}
	return m.module(ctx, o, b)
}

// wakeUp measures a wake-up without the switch to who is woken.
func (m *measurer) wakeUp(o *baselineOptions, b *figures.Baseline) error {
	if o.base.Priority < 2 {
		b.Warnings = append(b.Warnings, "not measured: a wake-up without a switch, which wants two real-time priorities")
		return nil
	}
	waking, alone, err := m.wakeUps(o.base.CPUs[0], o.base.Priority, wakings)
	b.Calls = append(b.Calls, figures.Call{Name: figures.CostWakeUp, NS: figures.PerRound(waking, 1) - figures.PerRound(alone, 1)})
	return err
}

// wakings is how often a thread is woken, of which the median is taken.
const wakings = 1000

func (m *measurer) switches(ctx context.Context, o *baselineOptions, b *figures.Baseline, cpus []int) (err error) {
	ring := func(procs, bytes, rounds int, link baseline.Link, cpus ...int) *figures.Switch {
		r := o.base
		r.Procs, r.Bytes, r.Rounds, r.Repeats, r.Link, r.CPUs = procs, bytes, rounds, o.repeats, link, cpus
		var pass, overhead []int64
		if err == nil {
			pass, err = m.ring(ctx, r)
		}
		if r.Overhead = true; err == nil {
			overhead, err = m.ring(ctx, r)
		}
		s := figures.NewSwitch(procs, bytes, rounds, pass, overhead)
		return &s
	}
	cpu := o.base.CPUs[0]
	b.PingPong = *ring(2, 0, o.rounds, baseline.Pipe, cpu)
	b.Eventfd = *ring(2, 0, o.rounds, baseline.Eventfd, cpu)
	b.Futex = ring(2, 0, o.rounds, baseline.Futex, cpu)
	if i := slices.IndexFunc(cpus, func(other int) bool { return other != cpu }); i >= 0 {
		b.Across = ring(2, 0, o.rounds, baseline.Futex, cpu, cpus[i])
	}
	threads := o.base.Threads
	o.base.Threads = true
	b.Signal = ring(2, 0, o.rounds, baseline.Signal, cpu)
	o.base.Threads = threads
	for _, kib := range o.kib {
		for _, procs := range o.procs {
			b.Matrix = append(b.Matrix, *ring(procs, kib<<10, max(matrixPasses/procs, 1), baseline.Pipe, cpu))
		}
	}
	return err
}

// timers measures what cyclictest does.
func (m *measurer) timers(ctx context.Context, o *baselineOptions, b *figures.Baseline, cpus []int) error {
	c := o.timed(sigwait.SourceTimer)
	c.CPUs = cpus
	samples, err := m.collect(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("timer latency: %w", err)
	}
	for _, cpu := range cpus {
		of := slices.DeleteFunc(slices.Clone(samples), func(s sigwait.Sample) bool { return s.CPU != cpu })
		b.Timers = append(b.Timers, latencyOf(cpu, of))
	}
	return nil
}

// module measures by the modes of the module.
func (m *measurer) module(ctx context.Context, o *baselineOptions, b *figures.Baseline) error {
	cpu := o.base.CPUs[0]
	c := o.timed(sigwait.SourceKernel)
	c.TimerCPU, c.Mode = cpu, sigwait.ModeKthread
	kthread, err := m.collect(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("mode kthread: %w", err)
	}
	c.Mode, c.Policy, c.Priority = sigwait.ModeIRQ, "", 0
	irq, err := m.collect(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("mode irq: %w", err)
	}
	rest, err := m.rest(ctx, c, o.base.Priority)
	b.Module = &figures.Module{IRQ: latencyOf(cpu, irq), Kthread: latencyOf(cpu, kthread), RestNS: rest}
	return err
}

// A spinning thread is interrupted so often; the time is below that in which
// real-time throttling shows.
const (
	interrupts    = 200
	interruptStep = time.Millisecond
	spinLead      = 20 * time.Millisecond
)

// rest measures how long after its callback the timer's interrupt is over.
func (m *measurer) rest(ctx context.Context, c sigwait.Config, priority int) (int64, error) {
	c.Period, c.Count = interruptStep, interrupts
	var gaps []baseline.Gap
	spun := make(chan error, 1)
	// While a CPU spins, nobody else would get to run where it is the only one.
	samples, err := m.collect(ctx, c, func() {
		go func() {
			var err error
			gaps, err = m.spin(c.TimerCPU, priority, spinLead, interrupts*interruptStep)
			spun <- err
		}()
	})
	if err != nil {
		return 0, fmt.Errorf("interrupts: %w", err)
	}
	if err := <-spun; err != nil {
		return 0, fmt.Errorf("interrupts: %w", err)
	}
	var after []int64
	for _, s := range samples {
		i, found := slices.BinarySearchFunc(gaps, s.ReceivedNS, func(g baseline.Gap, ns int64) int {
			switch {
			case g.ToNS < ns:
				return -1
			case g.FromNS > ns:
				return 1
			}
			return 0
		})
		if found {
			after = append(after, gaps[i].ToNS-s.ReceivedNS)
		}
	}
	return figures.PerRound(after, 1), nil
}

// collect returns the samples of a run. started may be nil; what it does goes
// on beside the run.
func (m *measurer) collect(ctx context.Context, c sigwait.Config, started func()) ([]sigwait.Sample, error) {
	var all []sigwait.Sample
	_, err := m.run(ctx, c, func(sigwait.Effective) {
		if started != nil {
			started()
		}
	}, func(batch []sigwait.Sample) { all = append(all, batch...) })
	if err == nil {
		err = ctx.Err() // the run itself ends with what it has
	}
	return all, err
}

func latencyOf(cpu int, samples []sigwait.Sample) figures.Latency {
	if len(samples) == 0 {
		return figures.Latency{CPU: cpu}
	}
	ns := make([]int64, len(samples))
	for i, s := range samples {
		ns[i] = s.LatencyNS
	}
	return figures.Latency{CPU: cpu, Count: uint64(len(ns)), MinNS: slices.Min(ns), P50NS: figures.PerRound(ns, 1), MaxNS: slices.Max(ns)}
}
