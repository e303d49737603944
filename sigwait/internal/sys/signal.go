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
	m := Message{pid: pid, tid: tid}
	fillInfo(&m.info, value)
	return m.queue(Signal)
}

// A Message is the signal to one thread, ready to be sent.
type Message struct {
	pid, tid int
	info     [128]byte
}

// ToSelf returns a message to the calling thread.
func ToSelf() *Message { return ToThread(unix.Gettid()) }

// ToThread returns a message to a thread of this process.
func ToThread(tid int) *Message {
	m := &Message{pid: unix.Getpid(), tid: tid}
	fillInfo(&m.info, 0)
	return m
}

// SetToken makes it what the signal carries from now on.
func (m *Message) SetToken(token uint32) { binary.NativeEndian.PutUint64(m.info[24:], uint64(token)) }

// Send sends the signal, by one system call.
func (m *Message) Send() error { return m.queue(Signal) }

// Check does what Send does but for the signal: its number is 0, kill(2).
func (m *Message) Check() error { return m.queue(0) }

func (m *Message) queue(signal int) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(m.pid), uintptr(m.tid), uintptr(signal),
		uintptr(unsafe.Pointer(&m.info)), 0, 0)
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

// sigaction is the kernel's struct sigaction.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

func setAction(sa, old *sigaction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, Signal,
		uintptr(unsafe.Pointer(sa)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return fmt.Errorf("rt_sigaction %d: %w", Signal, errno)
	}
	return nil
}
