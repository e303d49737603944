// SPDX-License-Identifier: GPL-2.0-only

//go:build !(amd64 || arm64) || portable

package sys

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This is the build without assembly: it waits and stamps in Go, which costs
// the way through the scheduler at every signal, and has no signal handler.

const haveHandler = false

func preparePause(*Receiver, int) error { return unix.ENOSYS }
func installHandler(*Receiver) error    { return unix.ENOSYS }
func removeHandler() error              { return unix.ENOSYS }

// CatchSignal is [errors.ErrUnsupported] in this build.
func CatchSignal() (restore func() error, err error) { return nil, errors.ErrUnsupported }

// ClockName tells how arrivals are stamped.
func ClockName() string { return "portable" }

// clockFunc is for assembly only.
func clockFunc() uintptr { return 0 }

func loop(c *control, _ bool) {
	for atomic.LoadUint32(&c.stop) == 0 {
		n, _, _ := unix.Syscall6(c.nr, c.a1, c.a2, c.a3, c.a4, 0, 0)
		if n != c.want {
			continue
		}
		var now unix.Timespec
		if err := unix.ClockGettime(int32(c.clock), &now); err == nil {
			push(c, now)
		}
	}
}

func send(s *sender) {
	for s.count == 0 || s.seq < s.count {
		if atomic.LoadUint32(&s.stop) != 0 {
			return
		}
		until := unix.NsecToTimespec(s.deadline)
		if unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &until, nil) == nil {
			sendOne(s)
		}
	}
}

// sendOne sends a signal; periods that have passed already are counted, not
// made up for.
func sendOne(s *sender) {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // fails for unknown clocks only
	missed := max(now.Nano()-s.deadline, 0) / s.period
	s.deadline += (missed + 1) * s.period
	atomic.AddUint64(&s.overruns, uint64(missed))
	_ = unix.ClockGettime(int32(s.clock), &now)
	fillInfo(&s.info, s.seq<<32|uint64(now.Nsec))
	_, _, errno := unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(s.pid), uintptr(s.tid), Signal,
		uintptr(unsafe.Pointer(&s.info)), 0, 0)
	if errno == 0 {
		atomic.AddUint64(&s.sent, 1)
	} else {
		atomic.StoreInt64(&s.lastErrno, int64(errno))
		atomic.AddUint64(&s.refused, 1)
	}
	atomic.AddUint64(&s.seq, 1)
}
