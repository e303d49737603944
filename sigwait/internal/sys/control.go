// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Signal is SIGRTMAX as the kernel counts, whatever a C library reserves.
const Signal = 64

const (
	slots     = 1 << 15 // a power of two: the loops mask with it
	stackSize = 64 << 10
	// The runtime's profiler, when its signal hits a loop, takes what lies
	// above the loop's frame for that of a caller: zeros, where it gives up.
	stackEnd = 64
)

// never as control.want is a result that no system call gives.
const never = 1 << 62

// RingSize is the number of arrivals that wait for Drain without a loss.
const RingSize = slots

// control is what a receiving loop works on. It lies in mapped memory outside
// of the Go heap, where no collector looks and no page fault waits; pointers
// are therefore kept as numbers. Assembly reads the offsets from go_asm.h.
type control struct {
	head uint64 // slots reserved so far; written by the receiver
	_    [56]byte
	tail uint64 // slots read so far; written by the reader
	_    [56]byte

	drops  uint64 // signals that found the ring full
	target uint64 // the loop ends when head reaches it; 0: never
	ring   uintptr
	stack  uintptr // top of a C stack, 16 bytes aligned
	now    uintptr // clock_gettime, C calling convention
	clock  uint32
	stop   uint32 // ends the loop

	// One wait is one system call: its number and arguments, the result that
	// means "a signal was taken", and where to find what came with it.
	nr             uintptr
	a1, a2, a3, a4 uintptr
	want           uintptr
	value, aux     uintptr

	set  uint64    // signal set with Signal only
	zero [2]uint64 // a timespec of no time
	none uint64    // what aux points to when there is nothing
	_    [16]byte
	buf  [128]byte // siginfo_t, signalfd_siginfo or siglat_event
}

// slot is one record of the ring, one cache line.
type slot struct {
	value  uint64 // si_value: sequence number and nanoseconds, or the event's sent_ns
	aux    uint64 // the event's sequence number
	sec    int64
	nsec   int64
	cpu    uint64 // as the kernel keeps it for the vDSO: CPU in the lower 12 bits
	commit uint64 // index + 1, written last
	_      [16]byte
}

// A Record is one stamped arrival.
type Record struct {
	Value uint64 // si_value of the signal; sent_ns of an event
	Aux   uint64 // sequence number of an event
	Sec   int64
	Nsec  int64
	CPU   int // -1 when unknown
}

// A Receiver is the memory of one receiving thread: control block, ring and C
// stack, mapped, populated and, if the limits allow it, locked.
type Receiver struct {
	MemLocked bool
	mem       []byte
	c         *control
	kind      kind
	fd        int            // of the signalfd, or -1
	notices   chan os.Signal // from os/signal
}

// NewReceiver maps the memory for a receiver of the given kind, see
// [Kinds], that stamps with the given clock, CLOCK_MONOTONIC or
// CLOCK_REALTIME.
func NewReceiver(name string, clock uint32) (*Receiver, error) {
	k, ok := kindOf(name)
	if !ok {
		return nil, fmt.Errorf("no receiver %q in this build", name)
	}
	return newReceiver(k, clock)
}

func newReceiver(k kind, clock uint32) (*Receiver, error) {
	head := (int(unsafe.Sizeof(control{})) + 4095) &^ 4095
	mem, err := unix.Mmap(-1, 0, head+slots*int(unsafe.Sizeof(slot{}))+stackSize,
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map memory for the receiver: %w", err)
	}
	base := uintptr(unsafe.Pointer(&mem[0]))
	r := &Receiver{mem: mem, c: (*control)(unsafe.Pointer(&mem[0])), kind: k, fd: -1}
	r.MemLocked = unix.Mlock(mem) == nil
	c := r.c
	c.ring = base + uintptr(head)
	c.stack = base + uintptr(len(mem)) - stackEnd
	c.now, c.clock = clockFunc(), clock
	c.set = 1 << (Signal - 1)
	c.want, c.value, c.aux = never, c.at(&c.none), c.at(&c.none)
	return r, nil
}

// at returns the address of a part of the control block as a number.
func (c *control) at(p *uint64) uintptr { return uintptr(unsafe.Pointer(p)) }

// Free unmaps the memory; no thread may be in Loop any more.
func (r *Receiver) Free() error {
	r.c = nil
	return unix.Munmap(r.mem)
}

// SetTarget makes Loop end by itself once n signals were taken; 0: never.
func (r *Receiver) SetTarget(n uint64) { atomic.StoreUint64(&r.c.target, n) }

// Reached tells whether a Loop that has ended did so because of its target.
func (r *Receiver) Reached() bool {
	n := atomic.LoadUint64(&r.c.target)
	return n > 0 && atomic.LoadUint64(&r.c.head) >= n
}

// Resume lets the next Loop go on to another target, which handlers may have
// reached before it begins; no thread may be in Loop.
func (r *Receiver) Resume(target uint64) {
	atomic.StoreUint32(&r.c.stop, 0)
	r.SetTarget(target)
	if r.Reached() {
		atomic.StoreUint32(&r.c.stop, 1)
	}
}

// Received returns how many signals were taken and how many of these found
// the ring full.
func (r *Receiver) Received() (taken, drops uint64) {
	drops = atomic.LoadUint64(&r.c.drops)
	return atomic.LoadUint64(&r.c.head) + drops, drops
}

// Drain moves up to len(buf) records from the ring to buf and returns how
// many. Only one goroutine may drain.
func (r *Receiver) Drain(buf []Record) int {
	c := r.c
	ring := unsafe.Slice((*slot)(unsafe.Pointer(&r.mem[c.ring-uintptr(unsafe.Pointer(&r.mem[0]))])), slots)
	n := 0
	for n < len(buf) {
		s := &ring[c.tail%slots]
		if atomic.LoadUint64(&s.commit) != c.tail+1 {
			break
		}
		if s.value == endMark {
			atomic.StoreUint64(&c.tail, c.tail+1)
			continue
		}
		cpu := int(s.cpu & 0xfff)
		if s.cpu == noCPU {
			cpu = -1
		}
		buf[n] = Record{Value: s.value, Aux: s.aux, Sec: s.sec, Nsec: s.nsec, CPU: cpu}
		atomic.StoreUint64(&c.tail, c.tail+1)
		n++
	}
	return n
}

// noCPU in slot.cpu says that the loop could not tell the CPU.
const noCPU = 1 << 63

// Reset empties the ring and forgets the counts; no thread may be in Loop.
func (r *Receiver) Reset() {
	c := r.c
	ring := unsafe.Slice((*slot)(unsafe.Pointer(&r.mem[c.ring-uintptr(unsafe.Pointer(&r.mem[0]))])), slots)
	for i := range min(c.head, slots) {
		ring[i].commit = 0
	}
	c.head, c.tail, c.drops, c.target = 0, 0, 0, 0
	atomic.StoreUint32(&c.stop, 0)
}
