// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sender is what the sending loop works on, in mapped memory like control.
type sender struct {
	deadline  int64 // of the next signal, ns of CLOCK_MONOTONIC
	period    int64
	seq       uint64
	count     uint64 // 0: no end
	sent      uint64
	refused   uint64
	overruns  uint64
	lastErrno int64
	now       uintptr // clock_gettime, C calling convention
	stack     uintptr
	pid, tid  uint64
	until     [2]int64 // deadline as a timespec
	clock     uint32   // of the stamp
	stop      uint32
	info      [128]byte // siginfo_t
}

// A Sender sends the signal to one thread of this process at absolute times,
// with the payload of the module.
type Sender struct {
	mem    []byte
	s      *sender
	thread atomic.Int32 // in Send, 0 before
}

// NewSender prepares a sender to thread tid: count signals (0: until Stop),
// one each period, stamped with clock.
func NewSender(tid int, period time.Duration, count uint64, clock uint32) (*Sender, error) {
	mem, err := unix.Mmap(-1, 0, 4096+stackSize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
	if err != nil {
		return nil, err
	}
	// Without the right to lock memory it is at least populated.
	_ = unix.Mlock(mem)
	s := (*sender)(unsafe.Pointer(&mem[0]))
	s.period, s.count, s.clock = int64(period), count, clock
	s.now = clockFunc()
	s.stack = uintptr(unsafe.Pointer(&mem[0])) + uintptr(len(mem)) - stackEnd
	s.pid, s.tid = uint64(unix.Getpid()), uint64(tid)
	fillInfo(&s.info, 0)
	return &Sender{mem: mem, s: s}, nil
}

// Send sends from the calling thread until the count is reached or Stop is
// called. The first signal is due a period from now. The scheduler knows that
// the thread is away.
func (s *Sender) Send() error {
	// Without this, SCHED_OTHER adds 50 us to each sleep (prctl(2)).
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return err
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	s.s.deadline = now.Nano() + s.s.period
	s.thread.Store(int32(unix.Gettid()))
	send(s.s)
	return nil
}

// Stop makes Send return, out of its sleep too. A sleep that began just before
// is not interrupted, so call it until the sending goroutine has ended.
func (s *Sender) Stop() {
	atomic.StoreUint32(&s.s.stop, 1)
	if tid := s.thread.Load(); tid != 0 {
		_ = unix.Tgkill(unix.Getpid(), int(tid), unix.SIGURG)
	}
}

// Stats returns the counts so far, in the words of the module.
func (s *Sender) Stats() Stats {
	return Stats{
		Expired:   atomic.LoadUint64(&s.s.seq),
		Sent:      atomic.LoadUint64(&s.s.sent),
		Refused:   atomic.LoadUint64(&s.s.refused),
		Overruns:  atomic.LoadUint64(&s.s.overruns),
		LastErrno: int32(atomic.LoadInt64(&s.s.lastErrno)),
	}
}

// Free unmaps the memory; no thread may be in Send any more.
func (s *Sender) Free() error { return unix.Munmap(s.mem) }
