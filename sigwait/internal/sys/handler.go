// SPDX-License-Identifier: GPL-2.0-only

//go:build (amd64 || arm64) && !portable

package sys

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is the kernel's struct sigaction.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// Flags of struct sigaction, include/uapi/asm-generic/signal-defs.h. Goroutine
// stacks are small, so that the handler must have the thread's signal stack.
const (
	saSiginfo = 0x4
	saOnstack = 0x08000000
	saRestart = 0x10000000
)

// previous is the disposition that installHandler replaced.
var previous sigaction

// installHandler makes r the one that the process's handler serves.
func installHandler(r *Receiver) error {
	if active != nil {
		return errors.New("another receiver of this process uses the signal handler")
	}
	active = r.c
	sa := sigaction{
		handler:  handlerPC(),
		flags:    saSiginfo | saOnstack | saRestart | saRestorer,
		restorer: restorerPC(),
		mask:     ^uint64(0),
	}
	if err := setAction(&sa, &previous); err != nil {
		active = nil
		return err
	}
	return nil
}

// removeHandler restores the disposition before installHandler.
func removeHandler() error {
	err := setAction(&previous, nil)
	active = nil
	return err
}

func setAction(sa, old *sigaction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, Signal,
		uintptr(unsafe.Pointer(sa)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return fmt.Errorf("rt_sigaction %d: %w", Signal, errno)
	}
	return nil
}
