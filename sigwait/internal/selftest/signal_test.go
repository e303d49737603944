// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sigRTMax = 64
	siQueue  = -1 // include/uapi/asm-generic/siginfo.h
)

// A signal is what the receiver gets, from struct signalfd_siginfo.
type signal struct {
	number, pid, uid uint32
	code             int32
	nsec             int32  // si_int
	value            uint64 // si_ptr
}

func (s signal) seq() uint32 { return uint32(s.value >> 32) }

// signals takes SIGRTMAX of one thread; signalfd(2) reads the signals of the
// thread that calls read.
type signals struct{ fd int }

// receiver ties the goroutine to its thread for good and blocks SIGRTMAX there.
func receiver() (signals, error) {
	runtime.LockOSThread()
	var set unix.Sigset_t
	set.Val[0] = 1 << (sigRTMax - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil); err != nil {
		return signals{}, err
	}
	fd, err := unix.Signalfd(-1, &set, unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)
	return signals{fd}, err
}

// receive is receiver for a test, without signals of an earlier one.
func receive(t *testing.T) signals {
	t.Helper()
	r, err := receiver()
	if err != nil {
		t.Fatalf("receive signals: %v", err)
	}
	t.Cleanup(func() { _ = unix.Close(r.fd) })
	r.drain()
	return r
}

// take returns the next pending signal without waiting.
func (r signals) take() (signal, bool) {
	var b [128]byte
	n, err := unix.Read(r.fd, b[:])
	if err != nil || n != len(b) {
		return signal{}, false
	}
	u32 := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	return signal{number: u32(0), code: int32(u32(8)), pid: u32(12), uid: u32(16),
		nsec: int32(u32(44)), value: binary.NativeEndian.Uint64(b[48:])}, true
}

// next waits for a signal.
func (r signals) next(timeout time.Duration) (signal, bool) {
	deadline := time.Now().Add(timeout)
	for {
		if s, ok := r.take(); ok {
			return s, true
		}
		left := time.Until(deadline)
		if left <= 0 {
			return signal{}, false
		}
		fds := []unix.PollFd{{Fd: int32(r.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, int(left.Milliseconds())+1); err != nil && !errors.Is(err, unix.EINTR) {
			return signal{}, false
		}
	}
}

// drain takes all that is pending.
func (r signals) drain() []signal {
	var all []signal
	for {
		s, ok := r.take()
		if !ok {
			return all
		}
		all = append(all, s)
	}
}

// expect takes n signals and checks that their sequence is from, from+1, ...
func (r signals) expect(t *testing.T, from, n uint32) []signal {
	t.Helper()
	var all []signal
	for i := range n {
		s, ok := r.next(5 * time.Second)
		if !ok {
			t.Fatalf("signal %d of %d did not come", i+1, n)
		}
		if s.number != sigRTMax || s.code != siQueue || s.pid != 0 || s.uid != 0 {
			t.Fatalf("signal %d, code %d, pid %d, uid %d; want %d, %d, 0, 0", s.number, s.code, s.pid, s.uid, sigRTMax, siQueue)
		}
		if s.seq() != from+i || uint32(s.value) != uint32(s.nsec) || s.nsec < 0 || s.nsec >= 1e9 {
			t.Fatalf("signal %d: value %#x, int %d; want sequence %d and nanoseconds below 1e9", i, s.value, s.nsec, from+i)
		}
		all = append(all, s)
	}
	return all
}

// silence fails if a signal comes within the time.
func (r signals) silence(t *testing.T, d time.Duration) {
	t.Helper()
	if s, ok := r.next(d); ok {
		t.Fatalf("signal %d with sequence %d came; want none", s.number, s.seq())
	}
}
