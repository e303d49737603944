// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"os"
	"os/signal"
	"sync/atomic"
	_ "unsafe" // for linkname

	"golang.org/x/sys/unix"
)

// The receiver notify does what Go programs do today. The signal goes to the
// runtime's own handler, which wakes a goroutine that fills the channel;
// signals that come before it did are merged, and the value is gone.

//go:linkname nanotime runtime.nanotime
func nanotime() int64

// Nanotime returns the runtime's reading of CLOCK_MONOTONIC in ns.
func Nanotime() int64 { return nanotime() }

func (r *Receiver) notify() {
	r.notices = make(chan os.Signal, slots)
	signal.Notify(r.notices, unix.Signal(Signal))
}

func (r *Receiver) notifyLoop() {
	for atomic.LoadUint32(&r.c.stop) == 0 {
		s := <-r.notices
		now := nanotime()
		if s == unix.Signal(Signal) {
			push(r.c, unix.NsecToTimespec(now))
		}
	}
}
