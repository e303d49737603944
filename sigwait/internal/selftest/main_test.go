// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// roleVariable makes the test binary play a child process.
const roleVariable = "SIGLAT_SELFTEST_ROLE"

func init() {
	if os.Getenv(roleVariable) != "" {
		runtime.LockOSThread() // children work on their main thread
	}
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	code := m.Run()
	if err := leaveNothing(); err != nil {
		fmt.Fprintf(os.Stderr, "after all tests: %v\n", err)
		code = 1
	}
	os.Exit(code)
}

// leaveNothing tells what the tests left behind: the module must be unloadable
// and the kernel must have had no reason to complain.
func leaveNothing() error {
	return errors.Join(waitFor("all files closed", func() bool { return references() == "0" }),
		leftovers(), unix.DeleteModule("siglat", unix.O_NONBLOCK), complaints())
}

// references returns the reference count of the module as the kernel prints it.
func references() string {
	data, _ := os.ReadFile("/sys/module/siglat/refcnt")
	return strings.TrimSpace(string(data))
}

// timers counts the armed timers of the module.
func timers() (int, error) {
	data, err := os.ReadFile("/proc/timer_list")
	return bytes.Count(data, []byte("siglat_expire")), err
}

// threads counts the kernel threads of the module.
func threads() int {
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	n := 0
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(data), "siglat/") {
			n++
		}
	}
	return n
}

func leftovers() error {
	n, err := timers()
	if err != nil {
		return err
	}
	// kthread_stop() returns a little before the thread has left /proc:
	// kernel/fork.c, mm_release(), comes before exit_notify().
	left := threads()
	for end := time.Now().Add(2 * time.Second); left != 0 && time.Now().Before(end); left = threads() {
		time.Sleep(time.Millisecond)
	}
	if n != 0 || left != 0 {
		return fmt.Errorf("%d timers and %d threads of the module are left", n, left)
	}
	return nil
}

// complaints returns the lines of the kernel's log that tell of a bug.
func complaints() error {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open kernel log: %w", err)
	}
	defer unix.Close(fd)
	var found []error
	buf := make([]byte, 8192) // one record each, /dev/kmsg
	for {
		n, err := unix.Read(fd, buf)
		if errors.Is(err, unix.EPIPE) {
			continue // overwritten meanwhile
		}
		if err != nil {
			break
		}
		line := string(buf[:n])
		for _, bad := range []string{"BUG:", "WARNING:", "Oops", "lockup", "rcu: INFO", "scheduling while atomic", "hung_task"} {
			if strings.Contains(line, bad) {
				found = append(found, errors.New("kernel log: "+line))
				break
			}
		}
	}
	return errors.Join(found...)
}

// waitFor polls until the condition holds.
func waitFor(what string, holds func() bool) error {
	for range 2000 {
		if holds() {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("waited in vain for: %s", what)
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if err := waitFor(what, holds); err != nil {
		t.Fatal(err)
	}
}

// open opens the device on the calling thread and closes it after the test.
func open(t *testing.T, flags int) sys.Device {
	t.Helper()
	d, err := sys.OpenDevice(sys.DevicePath, flags)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = d.Close() }) // many tests close it themselves
	return d
}

// start configures and starts.
func start(t *testing.T, d sys.Device, c sys.Config) {
	t.Helper()
	if err := d.SetConfig(c); err != nil {
		t.Fatalf("set configuration: %v", err)
	}
	if err := d.Start(); err != nil {
		t.Fatalf("start: %v", err)
	}
}

// started is open for writing, and start.
func started(t *testing.T, c sys.Config) sys.Device {
	t.Helper()
	d := open(t, unix.O_RDWR)
	start(t, d, c)
	return d
}

func stats(t *testing.T, d sys.Device) sys.Stats {
	t.Helper()
	st, err := d.Stats()
	if err != nil {
		t.Fatalf("statistics: %v", err)
	}
	return st
}

// awaitState waits until the stream is in the state, with nothing running.
func awaitState(t *testing.T, d sys.Device, state uint32) sys.Stats {
	t.Helper()
	await(t, fmt.Sprintf("state %#x", state), func() bool { return stats(t, d).State == state })
	return stats(t, d)
}

// awaitExpired waits for n more expiries.
func awaitExpired(t *testing.T, d sys.Device, n uint64) {
	t.Helper()
	from := stats(t, d).Expired
	await(t, fmt.Sprintf("%d expiries", n), func() bool { return stats(t, d).Expired >= from+n })
}

func preemptRT(t *testing.T) bool {
	t.Helper()
	return features(t)&sys.FeaturePreemptRT != 0
}

func features(t *testing.T) uint32 {
	t.Helper()
	d := open(t, unix.O_RDWR)
	defer d.Close()
	info, err := d.Info()
	if err != nil {
		t.Fatalf("info: %v", err)
	}
	return info.Features
}
