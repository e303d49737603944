// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of futex(2).
const (
	futexWait    = 0
	futexWake    = 1
	futexPrivate = 128
)

// A Baton is a word in memory that threads and processes share: 0, or a token
// that was given and not taken yet. The Go scheduler does not know of its
// waits, so that only the kernel's way is measured.
type Baton struct {
	mem  []byte
	word *uint32
	flag uintptr
}

// NewBaton makes the memory; the descriptor is closed upon exec.
func NewBaton() (fd int, err error) {
	if fd, err = unix.MemfdCreate("baton", unix.MFD_CLOEXEC); err != nil {
		return fd, fmt.Errorf("memfd_create: %w", err)
	}
	if err := unix.Ftruncate(fd, int64(unix.Getpagesize())); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("size of a memfd: %w", err)
	}
	return fd, nil
}

// MapBaton maps the memory of NewBaton into this process. A private one is for
// its threads only, by this mapping, as those of pthread_mutex_lock(3) are.
func MapBaton(fd int, private bool) (*Baton, error) {
	mem, err := unix.Mmap(fd, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map memory to share: %w", err)
	}
	b := &Baton{mem: mem, word: (*uint32)(unsafe.Pointer(&mem[0]))}
	if private {
		b.flag = futexPrivate
	}
	return b, nil
}

// Free unmaps the memory.
func (b *Baton) Free() error { return unix.Munmap(b.mem) }

// Give gives a token and wakes who waits for it, by one system call.
func (b *Baton) Give(token uint32) error {
	atomic.StoreUint32(b.word, token)
	if _, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b.word)), futexWake|b.flag, 1, 0, 0, 0); errno != 0 {
		return fmt.Errorf("futex wake: %w", errno)
	}
	return nil
}

// Take waits for a token and takes it. It makes at least one system call, also
// when there is a token already.
func (b *Baton) Take() (uint32, error) {
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b.word)), futexWait|b.flag, 0, 0, 0, 0)
		if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
			return 0, fmt.Errorf("futex wait: %w", errno)
		}
		if token := atomic.SwapUint32(b.word, 0); token != 0 {
			return token, nil
		}
	}
}
