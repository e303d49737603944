// SPDX-License-Identifier: GPL-2.0-only

//go:build (amd64 || arm64) && !portable

package sys

// timerLoop is in loop_*.s.

//go:noescape
func timerLoop(t *timer)

//go:nosplit
//go:norace
func nanosleep(t *timer) {
	entersyscall()
	timerLoop(t)
	exitsyscall()
}
