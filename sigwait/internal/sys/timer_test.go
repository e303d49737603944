// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sleeping runs a Timer on a thread of its own, which ends with it, from a
// period from now on.
func sleeping(t *testing.T, clock uint32, period time.Duration, target uint64, beside func(tm *Timer, tid int)) (tm *Timer, first int64) {
	t.Helper()
	tm, err := NewTimer(clock, period)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tm.Free() })
	tid := make(chan int, 1)
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		err := tm.Prepare()
		now, nerr := tm.Now()
		if err == nil {
			err = nerr
		}
		tid <- unix.Gettid()
		if err == nil {
			tm.SetTarget(target)
			first = now + int64(period)
			tm.Sleep(first)
		}
		ended <- err
	}()
	beside(tm, <-tid)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return tm, first
}

func TestTimerWakesAfterEachExpiry(t *testing.T) {
	const n, period = 500, 200 * time.Microsecond
	for _, clock := range []uint32{unix.CLOCK_MONOTONIC, unix.CLOCK_REALTIME} {
		tm, first := sleeping(t, clock, period, n, func(*Timer, int) {})
		buf := make([]Record, n+1)
		if got := tm.Drain(buf); got != n {
			t.Fatalf("%d records, want %d", got, n)
		}
		expiry := first
		for i, rec := range buf[:n] {
			if i > 0 && int64(rec.Value) <= expiry || (int64(rec.Value)-first)%int64(period) != 0 {
				t.Fatalf("record %d: expiry %d after %d", i, rec.Value, expiry)
			}
			expiry = int64(rec.Value)
			if woken := rec.Sec*1e9 + rec.Nsec; rec.Aux != uint64(i) || woken < expiry {
				t.Fatalf("record %d: number %d, woken %d ns after its expiry", i, rec.Aux, woken-expiry)
			}
		}
		// Every period from the first to the last has its expiry or is counted.
		if all := uint64(expiry-first)/uint64(period) + 1; all > n+tm.Overruns() {
			t.Errorf("%d periods, %d expiries, %d overruns", all, n, tm.Overruns())
		}
	}
}

// Signals whose handlers interrupt the sleep neither lengthen nor end it.
func TestTimerSleepsOnAfterSignals(t *testing.T) {
	const n, period = 20, 5 * time.Millisecond
	tm, _ := sleeping(t, unix.CLOCK_MONOTONIC, period, n, func(tm *Timer, tid int) {
		for taken, _ := tm.Received(); taken < n; taken, _ = tm.Received() {
			_ = unix.Tgkill(unix.Getpid(), tid, unix.SIGURG)
			time.Sleep(time.Millisecond)
		}
	})
	for _, rec := range records(tm, n) {
		if woken := rec.Sec*1e9 + rec.Nsec; woken < int64(rec.Value) {
			t.Errorf("woken %d ns too early", int64(rec.Value)-woken)
		}
	}
}

func TestTimerStops(t *testing.T) {
	tm, _ := sleeping(t, unix.CLOCK_MONOTONIC, time.Hour, 0, func(tm *Timer, tid int) {
		// The loop may not have started to sleep: again until it has ended.
		for range 100 {
			_ = tm.Stop(tid)
			time.Sleep(time.Millisecond)
		}
	})
	if taken, drops := tm.Received(); taken != 0 || drops != 0 {
		t.Errorf("%d taken, %d drops", taken, drops)
	}
}

// A thread that is held up skips periods and counts them.
func TestTimerCountsOverruns(t *testing.T) {
	const n, period = 3, 10 * time.Millisecond
	tm, err := NewTimer(unix.CLOCK_MONOTONIC, period)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tm.Free() }()
	now, err := tm.Now()
	if err != nil {
		t.Fatal(err)
	}
	tm.SetTarget(n)
	tm.Sleep(now - 10*int64(period) - int64(period)/2)
	got := records(tm, n)
	if len(got) != n || tm.Overruns() < 10 {
		t.Fatalf("%d records, %d overruns", len(got), tm.Overruns())
	}
	if step := int64(got[1].Value - got[0].Value); step < 11*int64(period) || step%int64(period) != 0 {
		t.Errorf("second expiry %d ns after the first", step)
	}
}

func records(tm *Timer, n int) []Record {
	buf := make([]Record, n)
	return buf[:tm.Drain(buf)]
}
