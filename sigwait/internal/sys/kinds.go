// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kind is one way of waiting: how the signal is set up and which system call
// waits for it.
type kind struct {
	blocked bool                            // the signal is blocked in the thread; otherwise a handler takes it
	spin    bool                            // no system call at all
	prepare func(r *Receiver, fd int) error // fills in the wait
}

// kinds are the receivers of this build by name.
var kinds = func() map[string]kind {
	m := map[string]kind{
		"sigwait": {blocked: true, prepare: prepareSigwait},
	}
	if haveHandler {
		m["pause"] = kind{prepare: preparePause}
		m["busy"] = kind{spin: true}
	}
	return m
}()

// Kinds returns the names of the receivers of this build, in the order in
// which documents list them.
func Kinds() []string {
	var names []string
	for _, n := range []string{"sigwait", "pause", "busy"} {
		if _, ok := kinds[n]; ok {
			names = append(names, n)
		}
	}
	return names
}

func prepareSigwait(r *Receiver, _ int) error {
	c := r.c
	c.nr = unix.SYS_RT_SIGTIMEDWAIT
	c.a1, c.a2, c.a3, c.a4 = c.at(&c.set), uintptr(unsafe.Pointer(&c.buf)), 0, 8
	c.want = Signal
	// si_value lies 24 bytes into siginfo_t on 64-bit kernels.
	c.value = uintptr(unsafe.Pointer(&c.buf)) + 24
	return nil
}

// Attach makes the calling thread the receiving one: it blocks the signal
// there or installs the handler. fd is the device, or -1. The thread must be
// locked to its goroutine and must end after the run, since its signal mask
// stays changed. Detach takes the handler away again.
func (r *Receiver) Attach(fd int) error {
	if r.kind.blocked {
		if err := blockSignal(); err != nil {
			return err
		}
	} else if err := installHandler(r); err != nil {
		return err
	}
	if r.kind.prepare == nil {
		return nil
	}
	return r.kind.prepare(r, fd)
}

// Detach restores the disposition of the signal that Attach replaced.
func (r *Receiver) Detach() error {
	if r.kind.blocked {
		return nil
	}
	return removeHandler()
}

// warmups is the number of signals that WarmUp takes.
const warmups = 3

// WarmUp sends a few signals to the calling thread and takes them by the same
// instructions that later measure, so that no page fault and no first use is
// left for the first sample. Call it after Attach, before the source starts.
func (r *Receiver) WarmUp() error {
	sent := 0
	for range warmups {
		err := QueueSignal(unix.Getpid(), unix.Gettid(), 0)
		if errors.Is(err, unix.EAGAIN) {
			break // the queue is full: the run will count that
		}
		if err != nil {
			return err
		}
		sent++
	}
	if taken, _ := r.Received(); taken < uint64(sent) {
		r.SetTarget(uint64(sent))
		r.Loop()
	}
	r.Reset()
	return nil
}

// Loop receives until the target is reached or Stop is called. The thread
// does not return to the Go runtime in between, and the scheduler knows of
// that: neither the collector nor the monitor waits for it.
func (r *Receiver) Loop() { loop(r.c, r.kind.spin) }

// Stop makes the Loop of thread tid end. A wait that began just before is
// interrupted by a signal, so call it until the loop has ended.
func (r *Receiver) Stop(tid int) error {
	atomic.StoreUint32(&r.c.stop, 1)
	return unix.Tgkill(unix.Getpid(), tid, unix.SIGURG)
}
