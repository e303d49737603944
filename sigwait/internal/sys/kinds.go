// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kind is one way of waiting: what becomes of the signal and which system call
// waits for it.
type kind struct {
	signal  disposition
	spin    bool                            // no system call at all
	restart bool                            // the wait goes on after a signal handler, signal(7)
	events  bool                            // takes the device's events, no signals
	prepare func(r *Receiver, fd int) error // fills in the wait
}

// A disposition is what a receiver does with the signal before it waits.
type disposition int

const (
	ignored  disposition = iota // there is none
	blocked                     // blocked in the receiving thread
	handled                     // our handler takes it
	notified                    // os/signal takes it
)

// kinds are the receivers of this build, in the order in which documents list
// them.
var kinds = func() []namedKind {
	list := []namedKind{
		{"sigwait", kind{signal: blocked, prepare: prepareSigwait}},
		{"pause", kind{signal: handled, prepare: preparePause}},
		{"busy", kind{signal: handled, spin: true}},
		{"poll", kind{signal: blocked, prepare: preparePoll}},
		{"signalfd", kind{signal: blocked, restart: true, prepare: prepareSignalfd}},
		{"read", kind{signal: ignored, events: true, prepare: prepareRead}},
		{"notify", kind{signal: notified}},
	}
	return slices.DeleteFunc(list, func(k namedKind) bool { return k.signal == handled && !haveHandler })
}()

type namedKind struct {
	name string
	kind
}

// Kinds returns the names of the receivers of this build, in the order in
// which documents list them.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

func kindOf(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k namedKind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i].kind, true
}

// ReadsEvents tells whether the receiver takes the device's events instead of
// signals; a [Record] then holds sent_ns and the sequence number.
func (r *Receiver) ReadsEvents() bool { return r.kind.events }

// HasPayload tells whether the receiver sees the value of a signal.
func (r *Receiver) HasPayload() bool { return r.kind.signal != notified }

func prepareSigwait(r *Receiver, _ int) error {
	c := r.c
	c.nr = unix.SYS_RT_SIGTIMEDWAIT
	c.a1, c.a2, c.a3, c.a4 = c.at(&c.set), uintptr(unsafe.Pointer(&c.buf)), 0, 8
	c.want = Signal
	// si_value lies 24 bytes into siginfo_t on 64-bit kernels.
	c.value = uintptr(unsafe.Pointer(&c.buf)) + 24
	return nil
}

// preparePoll waits no time at all, again and again.
func preparePoll(r *Receiver, fd int) error {
	err := prepareSigwait(r, fd)
	r.c.a3 = r.c.at(&r.c.zero[0])
	return err
}

func prepareSignalfd(r *Receiver, _ int) error {
	c := r.c
	var set unix.Sigset_t
	set.Val[0] = c.set
	fd, err := unix.Signalfd(-1, &set, unix.SFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("signalfd: %w", err)
	}
	r.fd = fd
	c.nr = unix.SYS_READ
	c.a1, c.a2, c.a3 = uintptr(fd), uintptr(unsafe.Pointer(&c.buf)), unsafe.Sizeof(c.buf)
	c.want = unsafe.Sizeof(c.buf)
	// ssi_ptr lies 48 bytes into struct signalfd_siginfo, signalfd(2).
	c.value = uintptr(unsafe.Pointer(&c.buf)) + 48
	return nil
}

func prepareRead(r *Receiver, fd int) error {
	c := r.c
	c.nr = unix.SYS_READ
	c.a1, c.a2, c.a3 = uintptr(fd), uintptr(unsafe.Pointer(&c.buf)), unsafe.Sizeof(Event{})
	c.want = unsafe.Sizeof(Event{})
	event := (*Event)(unsafe.Pointer(&c.buf))
	c.value, c.aux = uintptr(unsafe.Pointer(&event.SentNS)), c.at(&event.Seq)
	return nil
}

// Attach makes the calling thread the receiving one: it blocks the signal
// there or installs the handler. fd is the device, or -1. The thread must be
// locked to its goroutine and must end after the run, since its signal mask
// stays changed. Detach takes the handler away again.
func (r *Receiver) Attach(fd int) error {
	var err error
	switch r.kind.signal {
	case blocked:
		err = blockSignal()
	case handled:
		if err = installHandler(r); err == nil {
			err = unblockSignal()
		}
	case notified:
		r.notify()
		err = unblockSignal()
	}
	if err != nil || r.kind.prepare == nil {
		return err
	}
	return r.kind.prepare(r, fd)
}

// Detach restores the disposition of the signal that Attach replaced.
func (r *Receiver) Detach() error {
	switch {
	case r.kind.signal == handled:
		return removeHandler()
	case r.kind.signal == notified:
		signal.Stop(r.notices)
	case r.fd >= 0:
		return unix.Close(r.fd)
	}
	return nil
}

// warmups is the number of signals that WarmUp takes.
const warmups = 3

// WarmUp sends a few signals to the calling thread and takes them by the same
// instructions that later measure, so that no page fault and no first use is
// left for the first sample. Call it after Attach, before the source starts.
func (r *Receiver) WarmUp() error {
	if r.kind.signal == ignored || r.kind.signal == notified {
		return nil // no signals, or some that os/signal would merge
	}
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
func (r *Receiver) Loop() {
	if r.kind.signal == notified {
		r.notifyLoop()
		return
	}
	loop(r.c, r.kind.spin)
}

// endMark is the value of the signal that ends a wait which a handler does not
// interrupt: its nanoseconds are none.
const endMark = 1<<64 - 1

// Stop makes the Loop of thread tid end. A wait that began just before is
// interrupted by a signal, so call it until the loop has ended.
func (r *Receiver) Stop(tid int) error {
	atomic.StoreUint32(&r.c.stop, 1)
	if r.kind.restart {
		return QueueSignal(unix.Getpid(), tid, endMark)
	}
	if r.kind.signal == notified {
		select {
		case r.notices <- unix.SIGURG:
		default:
		}
	}
	return unix.Tgkill(unix.Getpid(), tid, unix.SIGURG)
}
