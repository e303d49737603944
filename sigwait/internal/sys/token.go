// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReadToken waits for eight bytes from a pipe or an eventfd. The Go scheduler
// does not know of the wait, so that only the kernel's way is measured. Errors
// are [unix.Errno]; EPIPE at the end of a pipe.
func ReadToken(fd int) (uint64, error) {
	var b [8]byte
	n, errno := again(unix.SYS_READ, fd, &b)
	switch {
	case errno != 0:
		return 0, errno
	case n != len(b):
		return 0, unix.EPIPE
	}
	return binary.NativeEndian.Uint64(b[:]), nil
}

// WriteToken writes eight bytes, likewise.
func WriteToken(fd int, token uint64) error {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], token)
	if _, errno := again(unix.SYS_WRITE, fd, &b); errno != 0 {
		return errno
	}
	return nil
}

func again(call uintptr, fd int, b *[8]byte) (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(b)), uintptr(len(b)))
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// BlockSignal blocks the signal in the calling thread, whose goroutine must be
// locked to it.
func BlockSignal() error { return blockSignal() }

// TakeSignal takes the signal, which is blocked, from the calling thread's
// queue; EAGAIN when there is none. It does not wait.
func TakeSignal() error {
	var none unix.Timespec
	_, errno := waitSignal(&none)
	if errno != 0 {
		return errno
	}
	return nil
}

// WaitSignal waits for the signal, which is blocked, and returns the token that
// it carries. The Go scheduler does not know of the wait.
func WaitSignal() (uint32, error) {
	for {
		token, errno := waitSignal(nil)
		switch errno {
		case 0:
			return token, nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

func waitSignal(timeout *unix.Timespec) (uint32, unix.Errno) {
	set := uint64(1) << (Signal - 1)
	var info [128]byte
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(&set)), uintptr(unsafe.Pointer(&info)),
		uintptr(unsafe.Pointer(timeout)), 8, 0, 0)
	return binary.NativeEndian.Uint32(info[24:]), errno
}

// An Action is what the process does upon the signal.
type Action struct{ now sigaction }

// ReadAction reads it.
func ReadAction() (*Action, error) {
	a := new(Action)
	return a, setAction(nil, &a.now)
}

// Install sets the action and reads the one before, in one call of
// rt_sigaction(2).
func (a *Action) Install() error {
	var before sigaction
	return setAction(&a.now, &before)
}

// SignalFile opens a signalfd that does not wait for the signal; it is closed
// upon exec.
func SignalFile() (fd int, err error) {
	var set unix.Sigset_t
	set.Val[0] = 1 << (Signal - 1)
	if fd, err = unix.Signalfd(-1, &set, unix.SFD_CLOEXEC|unix.SFD_NONBLOCK); err != nil {
		return fd, fmt.Errorf("signalfd: %w", err)
	}
	return fd, nil
}

// ReadSignal reads a signal from a signalfd; EAGAIN when there is none.
func ReadSignal(fd int) error {
	var b [128]byte
	if _, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b)), uintptr(len(b))); errno != 0 {
		return errno
	}
	return nil
}
