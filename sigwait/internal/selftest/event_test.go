// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

const (
	ringEvents = 4096
	eventSize  = 64
)

// readAll reads to the end of the stream, n events at a time.
func readAll(t *testing.T, d sys.Device, n int) []sys.Event {
	t.Helper()
	var all []sys.Event
	buf := make([]sys.Event, n)
	for {
		n, err := d.ReadEvents(buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		if n == 0 {
			return all
		}
		all = append(all, buf[:n]...)
	}
}

// checkEvents checks order and sequence.
func checkEvents(t *testing.T, events []sys.Event, from uint64, c sys.Config) {
	t.Helper()
	due := int64(0)
	for i, e := range events {
		if e.Seq != from+uint64(i) || e.Kind != c.Mode || e.Error != 0 || e.Padding != 0 || int32(e.CPU) != c.CPU {
			t.Fatalf("event %d: %+v; want sequence %d, kind %d, CPU %d", i, e, from+uint64(i), c.Mode, c.CPU)
		}
		if e.ExpiresNS > e.FiredNS || e.FiredNS > e.SentNS || e.SentNS > e.DoneNS {
			t.Fatalf("event %d: times out of order: %+v", i, e)
		}
		if step := int64(c.PeriodNS) * int64(1+e.Overruns); i > 0 && e.ExpiresNS-due != step {
			t.Fatalf("event %d: due %d ns after the one before, %d overruns; want %d", i, e.ExpiresNS-due, e.Overruns, step)
		}
		due = e.ExpiresNS
	}
}

func TestEvents(t *testing.T) {
	r := receive(t)
	for _, clock := range []uint32{unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC} {
		c := sys.Config{Flags: sys.FlagEvents, Clock: clock, PeriodNS: ms, Count: 50, CPU: 1}
		d := started(t, c)
		events := readAll(t, d, 7) // blocks, and wakes up at the end
		if len(events) != 50 {
			t.Fatalf("%d events; want 50", len(events))
		}
		checkEvents(t, events, 0, c)
		signals := r.expect(t, 0, 50)
		for i, s := range signals {
			// On the monotonic clock stamp and event are one reading.
			if clock == unix.CLOCK_MONOTONIC && int64(s.nsec) != events[i].SentNS%1e9 {
				t.Fatalf("signal %d: stamp %d, event %d", i, s.nsec, events[i].SentNS)
			}
		}
		_ = d.Close()
	}
}

func TestEventReadErrors(t *testing.T) {
	receive(t)
	d := started(t, sys.Config{Clock: 1, PeriodNS: ms})
	if n, err := unix.Read(d.FD, make([]byte, eventSize)); err != unix.EINVAL {
		t.Errorf("read without events: %d, %v; want EINVAL", n, err)
	}
	_ = d.Stop()
	start(t, d, sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: ms, Count: 10})
	awaitState(t, d, sys.StateDone)
	for _, size := range []int{0, 1, eventSize - 1} {
		if n, err := unix.Read(d.FD, make([]byte, size)); err != unix.EINVAL && size > 0 {
			t.Errorf("read into %d bytes: %d, %v; want EINVAL", size, n, err)
		}
	}
	for _, size := range []int{eventSize, 2*eventSize - 1, 2 * eventSize, 5*eventSize + 63} {
		if n, err := unix.Read(d.FD, make([]byte, size)); err != nil || n != size/eventSize*eventSize {
			t.Errorf("read into %d bytes: %d, %v; want %d", size, n, err, size/eventSize*eventSize)
		}
	}
	if n, err := unix.Read(d.FD, make([]byte, 4096)); err != nil || n != eventSize {
		t.Errorf("read the rest: %d, %v; want one event", n, err)
	}
	for range 2 {
		if n, err := unix.Read(d.FD, make([]byte, 4096)); err != nil || n != 0 {
			t.Errorf("read at the end: %d, %v; want 0", n, err)
		}
	}
	if _, err := unix.Pread(d.FD, make([]byte, eventSize), 0); err != unix.ESPIPE {
		t.Errorf("pread: %v; want ESPIPE", err)
	}
}

func TestEventNonblock(t *testing.T) {
	receive(t)
	d := open(t, unix.O_RDWR|unix.O_NONBLOCK)
	c := sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: 50 * ms, Count: 3}
	start(t, d, c)
	buf := make([]sys.Event, 8)
	again, got := 0, 0
	for got < 3 {
		n, err := d.ReadEvents(buf)
		switch {
		case err == unix.EAGAIN:
			again++
			time.Sleep(5 * time.Millisecond)
		case err != nil || n != 1 || buf[0].Seq != uint64(got):
			t.Fatalf("read %d: %d events, first %+v, error %v", got, n, buf[0], err)
		default:
			got++
		}
	}
	if again < 3 {
		t.Errorf("EAGAIN %d times; want it before each event", again)
	}
	awaitState(t, d, sys.StateDone)
	if n, err := d.ReadEvents(buf); n != 0 || err != nil {
		t.Errorf("at the end: %d events, %v; want 0", n, err)
	}
}

// TestEventDrops: the newest events are kept, the others counted.
func TestEventDrops(t *testing.T) {
	const extra = 100
	c := sys.Config{Flags: sys.FlagEvents, Mode: sys.ModeIRQ, Clock: 1, PeriodNS: ms / 5, Count: ringEvents + extra, CPU: 1}
	d := started(t, c)
	st := awaitState(t, d, sys.StateDone)
	if st.Expired != ringEvents+extra || st.Dropped != extra {
		t.Errorf("statistics %+v; want %d expired, %d dropped", st, ringEvents+extra, extra)
	}
	events := readAll(t, d, 1000)
	if len(events) != ringEvents {
		t.Errorf("%d events; want %d", len(events), ringEvents)
	}
	checkEvents(t, events, extra, c)
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	events = make([]sys.Event, 1)
	if n, err := d.ReadEvents(events); err != nil || n != 1 || events[0].Seq != 0 || stats(t, d).Dropped != 0 {
		t.Errorf("after a new start: %d events, first %+v, error %v", n, events[0], err)
	}
}

func poll(t *testing.T, d sys.Device, timeout int) int16 {
	t.Helper()
	for {
		fds := []unix.PollFd{{Fd: int32(d.FD), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, timeout)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			t.Fatalf("poll: %v", err)
		}
		return fds[0].Revents
	}
}

func TestEventPoll(t *testing.T) {
	receive(t)
	d := open(t, unix.O_RDWR)
	if got := poll(t, d, 0); got != unix.POLLERR|unix.POLLHUP {
		t.Errorf("without events: %#x; want POLLERR|POLLHUP", got)
	}
	c := sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: 50 * ms, Count: 3}
	if err := d.SetConfig(c); err != nil {
		t.Fatal(err)
	}
	if got := poll(t, d, 0); got != unix.POLLIN|unix.POLLHUP {
		t.Errorf("before the start: %#x; want POLLIN|POLLHUP", got)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	if got := poll(t, d, 0); got != 0 {
		t.Errorf("before the first event: %#x; want 0", got)
	}
	buf := make([]sys.Event, 1)
	for i := range 3 {
		if got := poll(t, d, 5000); got&unix.POLLIN == 0 {
			t.Fatalf("event %d: %#x; want POLLIN", i, got)
		}
		if n, err := d.ReadEvents(buf); n != 1 || err != nil {
			t.Fatalf("event %d: %d, %v", i, n, err)
		}
	}
	awaitState(t, d, sys.StateDone)
	if got := poll(t, d, 5000); got != unix.POLLIN|unix.POLLHUP {
		t.Errorf("at the end: %#x; want POLLIN|POLLHUP", got)
	}
}

// TestStopWakesReader: a reader that waits sees the end when another thread stops.
func TestStopWakesReader(t *testing.T) {
	for _, mode := range []uint32{sys.ModeUser, sys.ModeKthread, sys.ModeIRQ} {
		receive(t)
		d := started(t, sys.Config{Flags: sys.FlagEvents, Mode: mode, Clock: 1, PeriodNS: 3600 * 1000 * ms})
		done := make(chan int)
		go func() {
			n, err := d.ReadEvents(make([]sys.Event, 1))
			if err != nil {
				n = -1
			}
			done <- n
		}()
		time.Sleep(20 * time.Millisecond)
		if err := d.Stop(); err != nil {
			t.Fatal(err)
		}
		select {
		case n := <-done:
			if n != 0 {
				t.Errorf("mode %d: read returned %d; want 0", mode, n)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("mode %d: the reader still waits", mode)
		}
	}
}

// TestReadAcrossBadPage: a fault loses no accounting and harms nobody.
func TestReadAcrossBadPage(t *testing.T) {
	receive(t)
	d := started(t, sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: ms, Count: 5})
	awaitState(t, d, sys.StateDone)
	page := unix.Getpagesize()
	memory, err := unix.Mmap(-1, 0, page, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	if n, err := unix.Read(d.FD, memory[:2*eventSize]); err != unix.EFAULT {
		t.Errorf("read into read-only memory: %d, %v; want EFAULT", n, err)
	}
	if st, left := stats(t, d), len(readAll(t, d, 8)); int(st.Dropped)+left != 5 {
		t.Errorf("%d dropped and %d left of 5", st.Dropped, left)
	}
}
