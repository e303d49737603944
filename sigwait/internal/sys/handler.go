// SPDX-License-Identifier: GPL-2.0-only

//go:build (amd64 || arm64) && !portable

package sys

import "errors"

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

// CatchSignal makes an empty handler take the signal, and unblocks it in the
// calling thread, whose goroutine must be locked to it. The returned function
// restores what the process did upon the signal before.
func CatchSignal() (restore func() error, err error) {
	var before sigaction
	sa := sigaction{handler: emptyHandlerPC(), flags: saOnstack | saRestorer, restorer: restorerPC()}
	if err := setAction(&sa, &before); err != nil {
		return nil, err
	}
	return func() error { return setAction(&before, nil) }, unblockSignal()
}
