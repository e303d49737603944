// SPDX-License-Identifier: GPL-2.0-only

//go:build !portable

package sys

// timerLoop is in loop_amd64.s.

//go:noescape
func timerLoop(t *timer)

//go:nosplit
//go:norace
func nanosleep(t *timer) {
	entersyscall()
	timerLoop(t)
	exitsyscall()
}
