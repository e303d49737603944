// SPDX-License-Identifier: GPL-2.0-only

//go:build !(amd64 || arm64) || portable

package sys

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

func nanosleep(t *timer) {
	c := &t.control
	c.value, c.aux = uintptr(unsafe.Pointer(&t.deadline)), c.at(&t.seq)
	for atomic.LoadUint32(&c.stop) == 0 {
		until := unix.NsecToTimespec(t.deadline)
		err := unix.ClockNanosleep(int32(c.clock), unix.TIMER_ABSTIME, &until, nil)
		var now unix.Timespec
		if cerr := unix.ClockGettime(int32(c.clock), &now); err != nil || cerr != nil {
			continue
		}
		push(c, now)
		missed := max(now.Nano()-t.deadline, 0) / t.period
		t.deadline += (missed + 1) * t.period
		t.seq++
		atomic.AddUint64(&t.overruns, uint64(missed))
	}
}
