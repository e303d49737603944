// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// nap sleeps without the Go runtime, in this thread.
func nap(t *testing.T, d time.Duration) {
	t.Helper()
	ts := unix.NsecToTimespec(int64(d))
	if err := unix.Nanosleep(&ts, nil); err != nil {
		t.Fatal(err)
	}
}

func monotonic(t *testing.T) int64 {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	return ts.Nano()
}

// bothCPUs is a trace of CPUs 0 and 1.
func bothCPUs() sys.Trace { return sys.Trace{Marks: 1024, CPUs: [16]uint64{3}} }

func TestTraceRequests(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*sys.Trace)
		want   error
	}{
		{"nothing", func(*sys.Trace) {}, nil},
		{"one mark", func(v *sys.Trace) { v.Marks = 1 }, nil},
		{"most marks", func(v *sys.Trace) { v.Marks = 65536 }, nil},
		{"too many marks", func(v *sys.Trace) { v.Marks = 131072 }, unix.EINVAL},
		{"no marks", func(v *sys.Trace) { v.Marks = 0 }, unix.EINVAL},
		{"no power of two", func(v *sys.Trace) { v.Marks = 1000 }, unix.EINVAL},
		{"no CPU", func(v *sys.Trace) { v.CPUs[0] = 0 }, unix.EINVAL},
		{"no such CPU", func(v *sys.Trace) { v.CPUs[15] = 1 << 63 }, unix.ENXIO},
		{"flag", func(v *sys.Trace) { v.Flags = 1 }, unix.EINVAL},
		{"process", func(v *sys.Trace) { v.TGID = 1 }, unix.EINVAL},
		{"padding", func(v *sys.Trace) { v.Padding[4] = 1 }, unix.EINVAL},
	} {
		d := open(t, unix.O_RDWR)
		v := bothCPUs()
		row.change(&v)
		if err := d.Trace(&v); err != row.want || err == nil && int(v.TGID) != os.Getpid() {
			t.Errorf("%s: %v, process %d; want %v", row.name, err, v.TGID, row.want)
		}
		again := bothCPUs()
		if err := d.Trace(&again); row.want == nil && err != unix.EBUSY {
			t.Errorf("%s: once more: %v; want EBUSY", row.name, err)
		}
	}
}

// TestTraceRight: the right to open the device is not enough.
func TestTraceRight(t *testing.T) {
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with its capabilities
		d, err := sys.OpenDevice(sys.DevicePath, unix.O_RDWR)
		if err == nil {
			v := bothCPUs()
			head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
			var none [2]unix.CapUserData
			err = errors.Join(unix.Capset(&head, &none[0]), d.Trace(&v), d.Close())
		}
		failed <- err
	}()
	if err := <-failed; !errors.Is(err, unix.EPERM) {
		t.Errorf("without capabilities: %v; want EPERM", err)
	}
}

func TestMarkRequests(t *testing.T) {
	d := open(t, unix.O_RDWR)
	buf := make([]sys.Mark, 4)
	if _, err := d.Marks(&sys.Marks{}, buf); err != unix.EINVAL {
		t.Errorf("without a trace: %v; want EINVAL", err)
	}
	v := sys.Trace{Marks: 64, CPUs: [16]uint64{1}}
	if err := d.Trace(&v); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		ask  sys.Marks
		want error
	}{
		{"nothing wrong", sys.Marks{}, nil},
		{"CPU that is not marked", sys.Marks{CPU: 1}, unix.ENXIO},
		{"no such CPU", sys.Marks{CPU: 1 << 31}, unix.ENXIO},
		{"reserved", sys.Marks{Reserved: 1}, unix.EINVAL},
		{"padding", sys.Marks{Padding: 1}, unix.EINVAL},
	} {
		if _, err := d.Marks(&row.ask, buf); err != row.want {
			t.Errorf("%s: %v; want %v", row.name, err, row.want)
		}
	}
	for _, number := range []uintptr{sys.IOCTrace, sys.IOCMarks} {
		for _, p := range []uintptr{0, 1, 0xffff_8880_0000_0000} {
			if err := d.Ioctl(number, p); err != unix.EFAULT {
				t.Errorf("request %#x at %#x: %v; want EFAULT", number, p, err)
			}
		}
	}
	nap(t, 10*time.Millisecond)                     // so that there is a mark
	ask := binary.NativeEndian.AppendUint64(nil, 1) // the address
	ask = append(ask, make([]byte, 32)...)
	ask[16] = 4 // marks fit
	if err := d.Ioctl(sys.IOCMarks, address(ask)); err != unix.EFAULT {
		t.Errorf("marks to a bad address: %v; want EFAULT", err)
	}
	runtime.KeepAlive(ask)
}

// TestMarks sleeps on CPU 0: the thread is switched away, woken and switched
// to, each marked once, in this order, with nothing missing between.
func TestMarks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, first unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	first.Set(0)
	if err := unix.SchedSetaffinity(0, &first); err != nil {
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &all)
	d := open(t, unix.O_RDWR)
	v := bothCPUs()
	if err := d.Trace(&v); err != nil {
		t.Fatal(err)
	}
	before := monotonic(t)
	nap(t, 5*time.Millisecond)
	after := monotonic(t)
	ask, buf := &sys.Marks{}, make([]sys.Mark, 1024)
	n, err := d.Marks(ask, buf)
	if err != nil || n == 0 || ask.Lost != 0 {
		t.Fatalf("%d marks, %d lost, %v", n, ask.Lost, err)
	}
	tid := unix.Gettid()
	var seen []uint32
	for i, m := range buf[:n] {
		if m.Seq != uint32(i)+1 || m.BeginNS > m.TimeNS || i > 0 && m.TimeNS < buf[i-1].TimeNS || m.Padding != 0 {
			t.Errorf("mark %d: %+v", i, m)
		}
		switch inside := m.TimeNS >= before && m.TimeNS <= after; {
		case !inside:
		case m.Kind == sys.MarkSwitch && int(m.PID) == tid, m.Kind == sys.MarkSwitch && int(m.Number) == tid,
			m.Kind == sys.MarkWake && int(m.Number) == tid:
			seen = append(seen, m.Kind)
		}
	}
	// A slow kernel may preempt the thread before and after its sleep, too.
	wake := slices.Index(seen, sys.MarkWake)
	if wake < 1 || wake > len(seen)-2 || slices.Contains(seen[wake+1:], sys.MarkWake) {
		t.Errorf("marks of the thread: %v, want a switch, a wake-up, a switch", seen)
	}
	if m, err := d.Marks(&sys.Marks{Next: ask.Next}, buf); err != nil || m > 200 {
		t.Errorf("%d marks at once after all were read, %v", m, err)
	}
}

// TestMarksOverwritten reads late: the newest are there and the others counted.
func TestMarksOverwritten(t *testing.T) {
	d := open(t, unix.O_RDWR)
	v := sys.Trace{Marks: 4, CPUs: [16]uint64{3}}
	if err := d.Trace(&v); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		nap(t, time.Millisecond)
	}
	ask, buf := &sys.Marks{}, make([]sys.Mark, 16)
	n, err := d.Marks(ask, buf)
	if err != nil || n > 4 || ask.Lost == 0 || ask.Next != ask.Lost+uint32(n) {
		t.Errorf("%d marks, %+v, %v", n, ask, err)
	}
}

// TestTraceCPUGoesOffline: the marks of a CPU that goes away stay, there are no
// new ones until it comes back, and none is missing then.
func TestTraceCPUGoesOffline(t *testing.T) {
	d := open(t, unix.O_RDWR)
	v := sys.Trace{Marks: 65536, CPUs: [16]uint64{3}}
	if err := d.Trace(&v); err != nil {
		t.Fatal(err)
	}
	ask, buf := &sys.Marks{CPU: 1}, make([]sys.Mark, 65536)
	read := func() int {
		t.Helper()
		from := ask.Next
		ask.Lost, ask.Padding, ask.Reserved = 0, 0, 0
		n, err := d.Marks(ask, buf)
		if err != nil || ask.Lost != 0 || ask.Next != from+uint32(n) {
			t.Fatalf("%d marks from %d on, %+v, %v", n, from, ask, err)
		}
		for i, m := range buf[:n] {
			if m.Seq != from+uint32(i)+1 || i > 0 && m.TimeNS < buf[i-1].TimeNS {
				t.Fatalf("mark %d after %d: %+v", i, from, m)
			}
		}
		return n
	}
	for range 3 {
		online(t, false)
		if n := read(); n == 0 {
			t.Error("no mark of going offline")
		}
		nap(t, 20*time.Millisecond)
		if n := read(); n != 0 {
			t.Errorf("%d marks of a CPU that is offline", n)
		}
		online(t, true)
		nap(t, 20*time.Millisecond)
		if n := read(); n == 0 {
			t.Error("no mark after coming back")
		}
	}
	online(t, false)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
