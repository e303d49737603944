// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait"
)

// A fake is an engine that gives the samples it is made with.
type fake struct {
	latencies []int64 // one signal each; negative: not valid
	batch     int     // samples passed on at a time, 0: all
	pause     time.Duration
	between   func(batch int) // called before each batch
	change    func(*sigwait.Result)
	early     error // fail before the first signal
	late      error // fail after the last
	sent      int   // signals passed on until now
	tracer    tracer
	lost      int // signals lost with each batch
}

func (f *fake) engine() engine {
	return engine{f.run, func(string) error { return nil }, f.trace}
}

func (f *fake) trace(string, []int) (tracer, error) {
	if f.tracer == nil {
		return nil, errBroken
	}
	return f.tracer, nil
}

func (f *fake) run(ctx context.Context, c sigwait.Config, started func(sigwait.Effective), sink func([]sigwait.Sample)) (*sigwait.Result, error) {
	res := &sigwait.Result{Effective: sigwait.Effective{Policy: sigwait.PolicyFIFO, Priority: 40, CPUs: []int{1},
		TimerCPU: 0, Context: sigwait.ContextSoftIRQ, Stamp: "vdso", MemLocked: true}}
	if f.early != nil {
		return res, f.early
	}
	started(res.Effective)
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return res, err
	}
	size := f.batch
	if size == 0 {
		size = len(f.latencies)
	}
	samples := make([]sigwait.Sample, 0, size)
	for i := 0; f.sent < len(f.latencies) && ctx.Err() == nil; i++ {
		if f.between != nil {
			f.between(i)
		}
		time.Sleep(f.pause)
		samples = samples[:0]
		for len(samples) < size && f.sent < len(f.latencies) {
			ns := f.latencies[f.sent]
			samples = append(samples, sigwait.Sample{Seq: uint64(f.sent), LatencyNS: ns, CPU: 1, Valid: ns >= 0,
				ReceivedNS: now.Nano() + int64(f.sent)*int64(time.Millisecond)})
			if f.sent++; ns < 0 {
				res.Counts.Invalid++
			}
		}
		sink(samples)
		res.Counts.Lost += uint64(f.lost)
		res.Counts.Received = uint64(f.sent)
		res.Counts.Sent = res.Counts.Received + res.Counts.Lost
		if c.Progress != nil {
			c.Progress(res.Counts)
		}
	}
	res.Complete = f.sent == len(f.latencies)
	if f.change != nil {
		f.change(res)
	}
	return res, f.late
}

// runFake runs the command with f in place of the library.
func runFake(t *testing.T, ctx context.Context, f *fake, stdout io.Writer, args ...string) (stderr string, err error) {
	t.Helper()
	var said strings.Builder
	err = measure(ctx, args, f.engine(), stdout, &said)
	return said.String(), err
}

var errBroken = errors.New("broken")

// steps returns n latencies from 1000 ns on, in a mixed order.
func steps(n int) []int64 {
	l := make([]int64, n)
	for i := range l {
		l[i] = 1000 + int64(i*7919%n)
	}
	return l
}
