// SPDX-License-Identifier: GPL-2.0-only

//go:build (amd64 || arm64) && !portable

package sys

import _ "unsafe" // for linkname

const haveHandler = true

func preparePause(r *Receiver, _ int) error {
	r.c.nr = sysPause // without arguments, or all of them 0
	return nil
}

// active is the control block that the signal handler writes to.
var active *control

// waitLoop, spinLoop and sendLoop are in loop_*.s and send_*.s.

//go:noescape
func waitLoop(c *control)

//go:noescape
func spinLoop(c *control)

//go:noescape
func sendLoop(s *sender)

func handlerPC() uintptr
func emptyHandlerPC() uintptr
func clockSyscallPC() uintptr

// The runtime keeps these two open to packages that make system calls of
// their own. Between them the thread owns no P.

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// loop must not grow the stack: the runtime may scan it meanwhile.
//
//go:nosplit
//go:norace
func loop(c *control, spin bool) {
	entersyscall()
	if spin {
		spinLoop(c)
	} else {
		waitLoop(c)
	}
	exitsyscall()
}

//go:nosplit
//go:norace
func send(s *sender) {
	entersyscall()
	sendLoop(s)
	exitsyscall()
}
