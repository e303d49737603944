// SPDX-License-Identifier: GPL-2.0-only

//go:build !portable

package sys

import "golang.org/x/sys/unix"

const (
	sysPause  = unix.SYS_PPOLL // arm64 has no pause(2)
	vdsoClock = "__kernel_clock_gettime"
	// A handler without a restorer returns to the vDSO's rt_sigreturn(2).
	saRestorer = 0
)

func restorerPC() uintptr { return 0 }
