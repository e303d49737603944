// SPDX-License-Identifier: GPL-2.0-only

//go:build !portable

package sys

import "golang.org/x/sys/unix"

const (
	sysPause   = unix.SYS_PAUSE
	vdsoClock  = "__vdso_clock_gettime"
	saRestorer = 0x04000000 // arch/x86/include/uapi/asm/signal.h; the kernel insists on it
)

func restorerPC() uintptr
