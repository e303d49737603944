// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

const ms = uint64(time.Millisecond)

// near tells whether two values of a clock's nanosecond field are closer than
// half a second and b is not before a.
func near(a, b int64) bool { return (b-a+1e9)%1e9 < 5e8 }

func nanoseconds(t *testing.T, clock int32) int64 {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		t.Fatal(err)
	}
	return ts.Nsec
}

func TestDefaultStream(t *testing.T) {
	r := receive(t)
	d := open(t, unix.O_RDONLY)
	var last int64
	for i := range uint32(12) {
		s := r.expect(t, i, 1)[0]
		if now := nanoseconds(t, unix.CLOCK_REALTIME); !near(int64(s.nsec), now) {
			t.Errorf("signal %d: stamp %d, CLOCK_REALTIME %d", i, s.nsec, now)
		}
		// The stamp of a late expiry may be late, never early by half a period.
		if gap := (int64(s.nsec) - last + 1e9) % 1e9; i > 0 && (gap < 5e7 || gap > 15e7) {
			t.Errorf("signal %d: %d ns after the one before; want about 1e8", i, gap)
		}
		last = int64(s.nsec)
	}
	if c, err := d.GetConfig(); err != nil || c.PeriodNS != 100*ms || c.Clock != unix.CLOCK_REALTIME {
		t.Errorf("configuration %+v, error %v; want 100 ms, CLOCK_REALTIME", c, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	r.drain()
	r.silence(t, 300*time.Millisecond)
}

func TestStoppedAfterOpen(t *testing.T) {
	r := receive(t)
	d := open(t, unix.O_RDWR)
	r.silence(t, 300*time.Millisecond)
	if st := stats(t, d); st.State != 0 || st.CPU != -1 || st.Expired != 0 {
		t.Errorf("statistics %+v before the first start", st)
	}
}

// TestClock makes the two clocks differ by a known half second first.
func TestClock(t *testing.T) {
	r := receive(t)
	var ts unix.Timespec
	mono := nanoseconds(t, unix.CLOCK_MONOTONIC)
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &ts); err != nil {
		t.Fatal(err)
	}
	ts.Nsec = (mono + 5e8) % 1e9
	if err := unix.ClockSettime(unix.CLOCK_REALTIME, &ts); err != nil {
		t.Fatal(err)
	}
	for _, clock := range []int32{unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC} {
		for _, flags := range []uint32{0, sys.FlagEvents} {
			d := started(t, sys.Config{Clock: uint32(clock), Flags: flags, PeriodNS: 10 * ms, Count: 5})
			for i := range uint32(5) {
				s := r.expect(t, i, 1)[0]
				now := nanoseconds(t, clock)
				if d := (now - int64(s.nsec) + 1e9) % 1e9; d > 2e8 {
					t.Errorf("clock %d, flags %d: stamp %d, now %d", clock, flags, s.nsec, now)
				}
			}
			_ = d.Close()
		}
	}
}

func TestTwoReceivers(t *testing.T) {
	var group sync.WaitGroup
	for i, period := range []uint64{2 * ms, 3 * ms, 3 * ms} {
		group.Go(func() {
			r, err := receiver()
			if err != nil {
				t.Error(err)
				return
			}
			defer unix.Close(r.fd)
			d, err := sys.OpenDevice(sys.DevicePath, unix.O_RDWR)
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			c := sys.Config{Clock: unix.CLOCK_MONOTONIC, PeriodNS: period, Count: 100, CPU: int32(i % 2)}
			if err := d.SetConfig(c); err != nil {
				t.Error(err)
			}
			if err := d.Start(); err != nil {
				t.Error(err)
			}
			for n := range uint32(100) {
				if s, ok := r.next(5 * time.Second); !ok || s.seq() != n {
					t.Errorf("receiver %d: got %v with sequence %d; want %d", i, ok, s.seq(), n)
					return
				}
			}
			if _, ok := r.next(20 * time.Millisecond); ok {
				t.Errorf("receiver %d: a signal too many", i)
			}
			if err := d.Stop(); err != nil {
				t.Error(err)
			}
			if st, err := d.Stats(); err != nil || st.Sent != 100 || st.Refused != 0 || st.State != sys.StateDone {
				t.Errorf("receiver %d: statistics %+v, error %v", i, st, err)
			}
		})
	}
	group.Wait()
}

// TestTwoFiles: one thread, two streams of different length.
func TestTwoFiles(t *testing.T) {
	r := receive(t)
	a := started(t, sys.Config{Clock: 1, PeriodNS: 2 * ms, Count: 30})
	b := started(t, sys.Config{Clock: 1, PeriodNS: 3 * ms, Count: 20})
	awaitState(t, a, sys.StateDone)
	awaitState(t, b, sys.StateDone)
	if n := len(r.drain()); n != 50 {
		t.Errorf("%d signals; want 50", n)
	}
}

func TestCount(t *testing.T) {
	r := receive(t)
	d := open(t, unix.O_RDWR)
	for _, count := range []uint64{1, 2, 17} {
		start(t, d, sys.Config{Clock: 1, PeriodNS: ms, Count: count})
		st := awaitState(t, d, sys.StateDone)
		if st.Expired != count || st.Sent != count {
			t.Errorf("count %d: statistics %+v", count, st)
		}
		r.expect(t, 0, uint32(count))
		r.silence(t, 20*time.Millisecond)
		if n, err := timers(); n != 0 || err != nil {
			t.Errorf("count %d: %d timers left, error %v", count, n, err)
		}
	}
	// A finished stream starts anew without being stopped or configured.
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	r.expect(t, 0, 17)
}

func TestStop(t *testing.T) {
	r := receive(t)
	d := started(t, sys.Config{Clock: 1, PeriodNS: ms})
	r.expect(t, 0, 5)
	if err := d.Start(); err != unix.EBUSY {
		t.Errorf("start while running: %v; want EBUSY", err)
	}
	if err := d.SetConfig(sys.Config{PeriodNS: ms}); err != unix.EBUSY {
		t.Errorf("configure while running: %v; want EBUSY", err)
	}
	for range 2 {
		if err := d.Stop(); err != nil {
			t.Fatalf("stop: %v", err)
		}
	}
	rest := r.drain()
	r.silence(t, 20*time.Millisecond)
	st := stats(t, d)
	if st.State != 0 || st.Sent != 5+uint64(len(rest)) || st.Expired != st.Sent || st.LastErrno != 0 {
		t.Errorf("statistics %+v after %d signals", st, 5+len(rest))
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	r.expect(t, 0, 3)
}
