// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// checkGone waits until the module knows, and checks that the stream is over.
func checkGone(t *testing.T, d sys.Device) {
	t.Helper()
	st := awaitState(t, d, sys.StateGone)
	if st.Expired != st.Sent+st.Refused || st.Sent == 0 {
		t.Errorf("statistics %+v", st)
	}
	time.Sleep(20 * time.Millisecond)
	if later := stats(t, d); later != st {
		t.Errorf("statistics changed after the end from %+v to %+v", st, later)
	}
	if n := len(readAll(t, d, 512)); uint64(n) != st.Expired {
		t.Errorf("%d events; want %d and the end", n, st.Expired)
	}
	if err := d.Start(); err != unix.ESRCH {
		t.Errorf("start: %v; want ESRCH", err)
	}
	if st := stats(t, d); st.State&sys.StateRunning != 0 {
		t.Errorf("state %#x after a refused start", st.State)
	}
	if err := leftovers(); err != nil {
		t.Error(err)
	}
}

func TestOpenerKilled(t *testing.T) {
	r := receive(t)
	c := spawn(t, "open")
	d := c.device()
	awaitExpired(t, d, 5)
	c.kill()
	checkGone(t, d)
	r.silence(t, 20*time.Millisecond)
}

// TestOpenerKilledAlone: nobody else holds the file.
func TestOpenerKilledAlone(t *testing.T) {
	before := references()
	for range 5 {
		c := spawn(t, "open")
		d := c.device()
		_ = d.Close()
		time.Sleep(5 * time.Millisecond)
		c.kill()
	}
	await(t, "the module's references to go", func() bool { return references() == before })
	if err := leftovers(); err != nil {
		t.Error(err)
	}
}

func TestOpenerExits(t *testing.T) {
	c := spawn(t, "open")
	d := c.device()
	awaitExpired(t, d, 5)
	c.end()
	checkGone(t, d)
}

// TestOpenerThreadExits: the process lives on, the thread that opened does not.
func TestOpenerThreadExits(t *testing.T) {
	r := receive(t)
	opened, leave := make(chan sys.Device), make(chan bool)
	go func() {
		_, _ = receiver() // never unlocked: the thread ends with the goroutine
		d, err := sys.OpenDevice(sys.DevicePath, unix.O_RDWR)
		if err == nil {
			err = d.SetConfig(sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: ms})
		}
		if err != nil {
			t.Error(err)
		}
		opened <- d
		<-leave
	}()
	d := <-opened
	defer d.Close()
	if err := d.Start(); err != nil { // by another thread than the opener
		t.Fatal(err)
	}
	awaitExpired(t, d, 5)
	close(leave)
	checkGone(t, d)
	r.silence(t, 20*time.Millisecond)
}

// TestSameCredentials: set*id(2) to the same ids changes nothing.
func TestSameCredentials(t *testing.T) {
	c := spawn(t, "open")
	d := c.device()
	c.tell('s')
	if n := c.answer(); n == 0 {
		t.Error("no signal after setresuid(2) to the same ids")
	}
	if st := stats(t, d); st.State != sys.StateRunning {
		t.Errorf("state %#x; want running", st.State)
	}
	c.end()
}

// TestPassedFile: whoever holds the file controls the stream; the signals stay
// with the opener.
func TestPassedFile(t *testing.T) {
	r := receive(t)
	c := spawn(t, "open")
	d := c.device()
	awaitExpired(t, d, 5)
	if err := d.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	c.tell('r')
	if n := c.answer(); n != 0 {
		t.Errorf("%d signals after the stop", n)
	}
	start(t, d, sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: 2 * ms})
	c.tell('r')
	if n := c.answer(); n < 10 || n > 30 {
		t.Errorf("%d signals in 25 periods", n)
	}
	r.silence(t, 20*time.Millisecond)
	c.end()
	checkGone(t, d)
}

// TestFork: a child that inherits the file gets nothing and keeps it open.
func TestFork(t *testing.T) {
	r := receive(t)
	d := open(t, unix.O_RDWR)
	start(t, d, sys.Config{Clock: 1, PeriodNS: ms})
	c := spawn(t, "hold", d.FD)
	c.answer()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	r.drain()
	if _, ok := r.next(time.Second); !ok {
		t.Error("no signal while the child holds the file")
	}
	c.end()
	r.drain()
	r.silence(t, 20*time.Millisecond)
	if err := leftovers(); err != nil {
		t.Error(err)
	}
}

func TestDup(t *testing.T) {
	r := receive(t)
	d := open(t, unix.O_RDWR)
	start(t, d, sys.Config{Clock: 1, PeriodNS: ms})
	fd, err := unix.FcntlInt(uintptr(d.FD), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
	r.drain()
	if _, ok := r.next(time.Second); !ok {
		t.Error("no signal while the duplicate is open")
	}
	if st := stats(t, sys.Device{FD: fd}); st.State != sys.StateRunning {
		t.Errorf("state %#x; want running", st.State)
	}
	_ = unix.Close(fd)
	r.drain()
	r.silence(t, 20*time.Millisecond)
}

// pendingSignals is how many signals the user has queued, proc_pid_status(5).
func pendingSignals(t *testing.T) uint64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "SigQ:\t")
	text, _, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestQueueFull: refused signals are counted, and the timer goes on.
func TestQueueFull(t *testing.T) {
	r := receive(t)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_SIGPENDING, &old); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_SIGPENDING, &old)
	const room, count = 16, 50
	d := open(t, unix.O_RDWR)
	limit := unix.Rlimit{Cur: pendingSignals(t) + room, Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_SIGPENDING, &limit); err != nil {
		t.Fatal(err)
	}
	start(t, d, sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: ms, Count: count})
	st := awaitState(t, d, sys.StateDone)
	if st.Expired != count || st.Sent != room || st.Refused != count-room || st.LastErrno != int32(unix.EAGAIN) {
		t.Errorf("statistics %+v; want %d sent, %d refused with EAGAIN", st, room, count-room)
	}
	for i, e := range readAll(t, d, 64) {
		if want := int32(unix.EAGAIN); (i < room) != (e.Error == 0) || i >= room && e.Error != want {
			t.Errorf("event %d: error %d", i, e.Error)
		}
	}
	r.expect(t, 0, room)
	r.silence(t, 5*time.Millisecond)
	// A gap in the sequence when there is room again.
	start(t, d, sys.Config{Clock: 1, PeriodNS: ms})
	await(t, "a refused signal", func() bool { return stats(t, d).Refused > 3 })
	r.expect(t, 0, room)
	s, ok := r.next(time.Second)
	if !ok || s.seq() <= room+3 {
		t.Errorf("after the gap: %v, sequence %d", ok, s.seq())
	}
	runtime.KeepAlive(r)
}
