// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fillInfo makes info the siginfo_t of a queued signal with the given value.
func fillInfo(info *[128]byte, value uint64) {
	code := int32(siQueue)
	binary.NativeEndian.PutUint32(info[0:], Signal)
	binary.NativeEndian.PutUint32(info[8:], uint32(code))
	binary.NativeEndian.PutUint32(info[16:], uint32(unix.Getpid()))
	binary.NativeEndian.PutUint32(info[20:], uint32(unix.Getuid()))
	binary.NativeEndian.PutUint64(info[24:], value)
}

const siQueue = -1 // SI_QUEUE, include/uapi/asm-generic/siginfo.h

// QueueSignal sends the signal with a value to one thread of process pid;
// EAGAIN when the queue is full (RLIMIT_SIGPENDING).
func QueueSignal(pid, tid int, value uint64) error {
	var info [128]byte
	fillInfo(&info, value)
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(pid), uintptr(tid), Signal,
		uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return fmt.Errorf("rt_tgsigqueueinfo: %w", errno)
	}
	return nil
}

// blockSignal blocks the signal in the calling thread only.
func blockSignal() error { return maskSignal(unix.SIG_BLOCK) }

// unblockSignal lets the signal through in the calling thread: the program
// that started this one may have left it blocked.
func unblockSignal() error { return maskSignal(unix.SIG_UNBLOCK) }

func maskSignal(how int) error {
	var set unix.Sigset_t
	set.Val[0] = 1 << (Signal - 1)
	if err := unix.PthreadSigmask(how, &set, nil); err != nil {
		return fmt.Errorf("mask of signal %d: %w", Signal, err)
	}
	return nil
}
