// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// Receivers returns the names of the receivers of this build.
func Receivers() []string { return sys.Kinds() }

// one keeps runs of a process apart: they share the signal.
var one sync.Mutex

// A run is one measurement in progress.
type run struct {
	c    Config
	recv *sys.Receiver
	src  source
	eff  Effective
	tid  int

	ready   chan error    // the receiving thread is set up, or cannot be
	begin   chan bool     // it may start the source; false: give up
	going   chan struct{} // it has started the source, or could not
	reached chan struct{} // it has taken as many signals as it was told to
	more    chan uint64   // it may go on until it has taken so many; 0: all are there
	over    chan struct{} // it must end
	done    chan struct{} // it has ended
	err     error         // why it ended early; read after done
}

// Run measures until c.Count signals are accounted for, ctx ends, or an
// error. started is called once, before the first signal, with the effective
// configuration. sink gets the samples in order of arrival in batches whose
// memory is used again, from the calling goroutine. The Result is never nil
// and holds what was counted so far, beside an error too.
//
// Run needs the right to open the device (SourceKernel) and to set the asked
// policy; errors name what is missing. Only one run at a time can be made in a
// process; a second call waits. Garbage collection does not delay the
// receiving thread, but takes CPU time on the others: turn it off with
// [runtime/debug.SetGCPercent] where these matter.
func Run(ctx context.Context, c Config, started func(Effective), sink func([]Sample)) (*Result, error) {
	res := &Result{Effective: Effective{TimerCPU: AnyCPU}}
	if err := c.check(); err != nil {
		return res, err
	}
	one.Lock()
	defer one.Unlock()
	if c.DMALatencyUS != nil {
		us, release, err := holdDMALatency(*c.DMALatencyUS)
		if err != nil {
			return res, err
		}
		defer release()
		res.Effective.DMALatencyUS = &us
	}
	clock, err := watchClock()
	if err != nil {
		return res, err
	}
	measure := runSignals
	switch {
	case c.Source == SourceTimer:
		measure = runTimers
	case c.inModule():
		measure = runModule
	}
	err = measure(ctx, &c, res, started, sink)
	res.Warnings = append(res.Warnings, clock.end(c.Clock)...)
	return res, err
}

// runSignals is Run for the sources that send signals.
func runSignals(ctx context.Context, c *Config, res *Result, started func(Effective), sink func([]Sample)) error {
	recv, err := sys.NewReceiver(c.Receiver, clocks[c.Clock])
	if err != nil {
		return err
	}
	c.noSignal = recv.ReadsEvents()
	c.events = c.Segments || c.noSignal || !recv.HasPayload()
	if c.events && c.Clock != ClockMonotonic {
		return errors.Join(fmt.Errorf("receiver %s and segments need --clock monotonic, the clock of the event stream", c.Receiver), recv.Free())
	}
	r := &run{c: *c, recv: recv, src: sources[c.Source](),
		ready: make(chan error, 1), begin: make(chan bool, 1), going: make(chan struct{}),
		reached: make(chan struct{}), more: make(chan uint64), over: make(chan struct{}), done: make(chan struct{})}
	thread(r.receive)
	defer r.release()
	if err := <-r.ready; err != nil {
		return err
	}
	if c.CPU != AnyCPU {
		defer keepOff([]int{c.CPU}, r.tid)()
	}
	r.eff.DMALatencyUS = res.Effective.DMALatencyUS
	res.Effective, res.Module = r.eff, r.src.version()
	started(r.eff)
	r.begin <- true
	return newCollector(r, res, sink).collect(ctx)
}

// check finds what no kernel would accept.
func (c *Config) check() error {
	switch {
	case sources[c.Source] == nil && c.Source != SourceTimer:
		return fmt.Errorf("source %q: use kernel, user or timer", c.Source)
	case c.Source == SourceTimer && (c.Receiver != "" || c.TimerCPU != AnyCPU || c.Segments):
		return errors.New("source timer: has no receivers, timer CPU or segments to choose")
	case c.Source != SourceTimer && len(c.CPUs) > 0:
		return fmt.Errorf("CPUs %v: only the source timer takes several", c.CPUs)
	case c.Source != SourceTimer && !c.inModule() && !slices.Contains(Receivers(), c.Receiver):
		return fmt.Errorf("receiver %q: use one of %s", c.Receiver, strings.Join(Receivers(), ", "))
	case c.Period <= 0:
		return fmt.Errorf("period %v: must be above zero", c.Period)
	case c.CPU < AnyCPU || c.TimerCPU < AnyCPU || slices.ContainsFunc(c.CPUs, func(cpu int) bool { return cpu < 0 }):
		return fmt.Errorf("CPU %d, timer CPU %d: must not be negative", c.CPU, c.TimerCPU)
	}
	if _, ok := clocks[c.Clock]; !ok {
		return fmt.Errorf("clock %q: use monotonic or realtime", c.Clock)
	}
	if _, ok := contexts[c.Context]; !ok {
		return fmt.Errorf("context %q: use auto, softirq, hardirq or thread", c.Context)
	}
	return errors.Join(c.checkMode(), c.checkPolicy())
}

// receive is the receiving thread, from its start to its end.
func (r *run) receive() {
	defer close(r.done)
	err := r.prepare()
	r.ready <- err
	if err != nil {
		return
	}
	defer func() { r.err = errors.Join(r.err, r.recv.Detach()) }()
	if !<-r.begin {
		return
	}
	r.err = r.src.start()
	close(r.going)
	if r.err == nil {
		r.listen()
	}
}

// listen receives until all signals are there or the run is over. A signal of
// somebody else makes the loop end too early: only who follows the numbers
// knows how many are still missing.
func (r *run) listen() {
	for r.recv.Loop(); r.recv.Reached(); r.recv.Loop() {
		select {
		case r.reached <- struct{}{}:
		case <-r.over:
			return
		}
		select {
		case target := <-r.more:
			if target == 0 {
				return
			}
			r.recv.Resume(target)
		case <-r.over:
			return
		}
	}
}

// prepare makes the calling thread what was asked for and warms it up.
func (r *run) prepare() error {
	r.tid = unix.Gettid()
	if err := assume(&r.c, r.c.CPU, &r.eff); err != nil {
		return err
	}
	// Opened here, since the module signals the thread that opens.
	if err := r.src.open(&r.c); err != nil {
		return err
	}
	r.eff.TimerCPU, r.eff.Context = r.c.TimerCPU, r.c.Context
	if r.c.Source == SourceUser {
		r.eff.Context = ContextUser
	}
	r.eff.Stamp, r.eff.MemLocked = sys.ClockName(), r.recv.MemLocked
	if err := r.recv.Attach(r.src.fd()); err != nil {
		return err
	}
	if err := r.recv.WarmUp(); err != nil {
		return errors.Join(fmt.Errorf("warm up the receiver: %w", err), r.recv.Detach())
	}
	r.recv.SetTarget(r.c.Count)
	return nil
}

// end makes the receiving thread end and tells whether it did in time.
func (r *run) end(timeout time.Duration) bool {
	select {
	case <-r.over:
	default:
		close(r.over)
	}
	select {
	case r.begin <- false: // still waiting for its start
	default:
	}
	for deadline := time.Now().Add(timeout); ; {
		select {
		case <-r.done:
			return true
		default:
		}
		if time.Now().After(deadline) {
			return false
		}
		_ = r.recv.Stop(r.tid)
		select {
		case <-r.done:
		case <-time.After(time.Millisecond):
		}
	}
}

// release gives everything back. The memory of a thread that does not end is
// kept, since the thread may still write to it.
func (r *run) release() {
	if r.end(endTimeout) {
		_ = r.recv.Free()
		_ = r.src.close()
	}
}

const endTimeout = 5 * time.Second
