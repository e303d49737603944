// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

func TestOpenClose(t *testing.T) {
	receive(t)
	for i := range 10_000 {
		d, err := sys.OpenDevice(sys.DevicePath, unix.O_RDONLY)
		if err != nil {
			t.Fatalf("open %d: %v", i, err)
		}
		if n, err := timers(); i == 0 && (n != 1 || err != nil) {
			t.Fatalf("%d timers while open, error %v; want 1", n, err)
		}
		if err := d.Close(); err != nil {
			t.Fatalf("close %d: %v", i, err)
		}
	}
	if err := leftovers(); err != nil {
		t.Error(err)
	}
	if r := references(); r != "0" {
		t.Errorf("%s references to the module are left", r)
	}
}

// TestManyFiles: as many streams as one process may open, closed out of order.
func TestManyFiles(t *testing.T) {
	r := receive(t)
	var devices []sys.Device
	for i := range 200 {
		devices = append(devices, started(t, sys.Config{Clock: 1, PeriodNS: 20 * ms, Count: 3, CPU: int32(i % 2)}))
	}
	for _, d := range devices {
		awaitState(t, d, sys.StateDone)
	}
	if n := len(r.drain()); n != 600 {
		t.Errorf("%d signals; want 600", n)
	}
	for i := range devices {
		_ = devices[(i*7)%200].Close()
	}
	if err := leftovers(); err != nil {
		t.Error(err)
	}
}

func minPeriod(t *testing.T) uint64 {
	t.Helper()
	d := open(t, unix.O_RDWR)
	defer d.Close()
	info, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	return max(info.MinPeriodNS, uint64(*stormPeriod))
}

var stormPeriod = flag.Duration("storm-period", 0, "shortest period of storms, where the module's would leave a slow kernel no time for anything else")

// TestCloseWhileFiring closes at ever other distances from an expiry, with
// the timer on this CPU and on the other one.
func TestCloseWhileFiring(t *testing.T) {
	least := minPeriod(t)
	for _, k := range combinations(t) {
		t.Run(k.String(), func(t *testing.T) {
			r := receive(t)
			var set unix.CPUSet
			set.Set(0)
			if err := unix.SchedSetaffinity(0, &set); err != nil {
				t.Fatal(err)
			}
			for i := range 120 {
				d := started(t, sys.Config{Flags: sys.FlagEvents, Mode: k.mode, Context: k.context, Clock: 1,
					PeriodNS: least, CPU: int32(i % 2)})
				time.Sleep(time.Duration(37*i) * time.Microsecond / 4)
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				r.drain() // nothing comes after close has returned
				if s, ok := r.take(); ok {
					t.Fatalf("close %d: signal %d came after it", i, s.seq())
				}
			}
			if err := leftovers(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCloseByAnotherThread: the last close happens on another thread and CPU
// while the receiver takes signals.
func TestCloseByAnotherThread(t *testing.T) {
	least := minPeriod(t)
	for i := range 50 {
		r := receive(t)
		d := started(t, sys.Config{Clock: 1, PeriodNS: least, CPU: int32(i % 2)})
		done := make(chan error)
		go func() {
			time.Sleep(time.Millisecond)
			done <- d.Close()
		}()
		for range 20 {
			r.next(time.Millisecond)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		r.drain()
		r.silence(t, 2*time.Millisecond)
	}
	if err := leftovers(); err != nil {
		t.Error(err)
	}
}

// TestStartStopRace: two threads start and stop one stream.
func TestStartStopRace(t *testing.T) {
	r := receive(t)
	d := open(t, unix.O_RDWR)
	if err := d.SetConfig(sys.Config{Clock: 1, PeriodNS: ms / 10, Count: 3, CPU: 1}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 2 {
		go func() {
			for range 300 {
				if err := d.Start(); err != nil && err != unix.EBUSY {
					done <- fmt.Errorf("start: %w", err)
					return
				}
				if err := d.Stop(); err != nil {
					done <- fmt.Errorf("stop: %w", err)
					return
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	r.drain()
	r.silence(t, 5*time.Millisecond)
}

// TestStorm fires at the minimum period in every context: the receiver, on the
// timer's CPU or the other one, still runs, no period is unaccounted for, and
// the kernel does not complain (see complaints).
func TestStorm(t *testing.T) {
	least := minPeriod(t)
	for _, k := range combinations(t) {
		for cpu := range 2 {
			t.Run(fmt.Sprintf("%v/cpu%d", k, cpu), func(t *testing.T) { storm(t, k, cpu, least) })
		}
	}
}

func storm(t *testing.T, k combination, cpu int, period uint64) {
	r := receive(t)
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	d := started(t, sys.Config{Mode: k.mode, Context: k.context, Clock: 1, PeriodNS: period, CPU: 1})
	got := 0
	for time.Since(begin) < 200*time.Millisecond {
		got += len(r.drain())
	}
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	got += len(r.drain())
	st := stats(t, d)
	if st.Sent != uint64(got) || st.Refused != 0 || st.Expired != st.Sent && k.mode == sys.ModeUser {
		t.Errorf("%d signals, statistics %+v", got, st)
	}
	// The last stretch of overruns may not be over. Where emulated CPUs take
	// turns, one that drains without a pause may leave the timer's none: then
	// it is as long as the storm.
	most := uint64(time.Since(begin)) / period
	if n := st.Expired + st.Overruns; n > most || n == 0 || cpu == 1 && n < most/4 {
		t.Errorf("%d periods served or missed; want most of %d", n, most)
	}
	t.Logf("%d served, %d missed", st.Expired, st.Overruns)
}

var longStorm = flag.Duration("storm", time.Second, "how long TestLongStorm fires at the minimum period")

// TestLongStorm fires at the minimum period, the way signals are sent by
// default, at a receiver that takes every one of them on the timer's CPU: no
// signal is lost, and nothing on that CPU is starved (see complaints; a soft
// lockup needs more than 20 s).
func TestLongStorm(t *testing.T) {
	least := minPeriod(t)
	r := receive(t)
	var set unix.CPUSet
	set.Set(1)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	d := started(t, sys.Config{Clock: 1, PeriodNS: least, CPU: 1})
	got := uint64(0)
	for time.Since(begin) < *longStorm {
		if _, ok := r.next(time.Second); !ok {
			t.Fatalf("no signal for a second after %d of them: %+v", got, stats(t, d))
		}
		got++
	}
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	most := uint64(time.Since(begin)) / least
	got += uint64(len(r.drain()))
	st := stats(t, d)
	if st.Sent != got || st.Refused != 0 || st.CPU != 1 {
		t.Errorf("%d signals, statistics %+v", got, st)
	}
	if n := st.Expired + st.Overruns; n > most || n < most/2 {
		t.Errorf("%d periods served or missed; want nearly %d", n, most)
	}
	if err := complaints(); err != nil {
		t.Error(err)
	}
	t.Logf("%d served, %d missed", st.Expired, st.Overruns)
}

func TestUnloadWhileOpen(t *testing.T) {
	receive(t)
	d := open(t, unix.O_RDONLY)
	// delete_module(2): EWOULDBLOCK with references, O_NONBLOCK given.
	if err := unix.DeleteModule("siglat", unix.O_NONBLOCK); err != unix.EWOULDBLOCK && err != unix.EBUSY {
		t.Fatalf("unload while open: %v; want EWOULDBLOCK", err)
	}
	awaitExpired(t, d, 2)
}
