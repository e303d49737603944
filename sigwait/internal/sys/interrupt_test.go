// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"bytes"
	"os"
	"os/signal"
	"runtime/pprof"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The receiver poll spends its time between a system call, the vDSO and its
// loop. Signals for the runtime that hit any of these, the profiler's among
// them, must find the goroutine, and the signals to receive must not suffer.
func TestRuntimeSignalsHitTheLoop(t *testing.T) {
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	notices := make(chan os.Signal, 1)
	signal.Notify(notices, unix.SIGWINCH)
	defer signal.Stop(notices)
	const n = 2000
	r := receive(t, "poll", n, func(tid int) {
		for i := range uint64(n) {
			for QueueSignal(unix.Getpid(), tid, i) != nil {
				time.Sleep(time.Millisecond)
			}
			for _, s := range []unix.Signal{unix.SIGWINCH, unix.SIGPROF, unix.SIGURG, unix.SIGWINCH} {
				if err := unix.Tgkill(unix.Getpid(), tid, s); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	defer func() { _ = r.Free() }()
	if got := r.Drain(make([]Record, n+1)); got != n {
		t.Errorf("%d records, want %d", got, n)
	}
	select {
	case <-notices:
	case <-time.After(10 * time.Second):
		t.Error("the runtime did not see the signals")
	}
}
