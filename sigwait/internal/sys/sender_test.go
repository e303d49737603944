// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestStopInterruptsSleep(t *testing.T) {
	s, err := NewSender(unix.Gettid(), time.Hour, 1, unix.CLOCK_MONOTONIC)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: its timer slack is changed
		done <- s.Send()
	}()
	for deadline := time.Now().Add(time.Minute); ; s.Stop() {
		select {
		case err := <-done:
			if stats := s.Stats(); err != nil || stats.Expired != 0 {
				t.Fatalf("%v, %+v", err, stats)
			}
			return
		case <-time.After(time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("the sender still sleeps")
		}
	}
}
