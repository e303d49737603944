// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// online switches CPU 1 and brings it back after the test.
func online(t *testing.T, on bool) {
	t.Helper()
	set := func(value string) error {
		return os.WriteFile("/sys/devices/system/cpu/cpu1/online", []byte(value), 0)
	}
	t.Cleanup(func() {
		if err := set("1"); err != nil {
			t.Errorf("CPU 1: %v", err)
		}
	})
	value := "0"
	if on {
		value = "1"
	}
	if err := set(value); err != nil {
		t.Fatalf("CPU 1: %v", err)
	}
}

func TestOfflineCPU(t *testing.T) {
	receive(t)
	d := open(t, unix.O_RDWR)
	c := sys.Config{Clock: 1, PeriodNS: ms, CPU: 1}
	if err := d.SetConfig(c); err != nil {
		t.Fatal(err)
	}
	online(t, false)
	if err := d.Start(); err != unix.ENXIO {
		t.Errorf("start on a CPU that went offline: %v; want ENXIO", err)
	}
	if st := stats(t, d); st.State != 0 {
		t.Errorf("state %#x; want 0", st.State)
	}
	if err := d.SetConfig(c); err != unix.ENXIO {
		t.Errorf("configure an offline CPU: %v; want ENXIO", err)
	}
	c.Mode = sys.ModeKthread
	if err := d.SetConfig(c); err != unix.ENXIO {
		t.Errorf("configure an offline CPU: %v; want ENXIO", err)
	}
	c.CPU = 0
	start(t, d, c)
	awaitExpired(t, d, 3)
}

// TestCPUGoesOffline: the timer moves to a CPU that is left, in every mode and
// context, and does not come back.
func TestCPUGoesOffline(t *testing.T) {
	for _, k := range combinations(t) {
		t.Run(k.String(), func(t *testing.T) {
			r := receive(t)
			d := started(t, sys.Config{Mode: k.mode, Context: k.context, Clock: 1, PeriodNS: ms, CPU: 1})
			awaitExpired(t, d, 5)
			if st := stats(t, d); st.CPU != 1 {
				t.Errorf("CPU %d; want 1", st.CPU)
			}
			online(t, false)
			awaitExpired(t, d, 20)
			if st := stats(t, d); st.CPU != 0 || st.State != sys.StateRunning {
				t.Errorf("with CPU 1 offline: %+v", st)
			}
			online(t, true)
			awaitExpired(t, d, 20)
			if err := d.Stop(); err != nil {
				t.Fatal(err)
			}
			if st := stats(t, d); st.State != 0 || st.Refused != 0 || uint64(len(r.drain())) != st.Sent {
				t.Errorf("statistics %+v", st)
			}
			if err := leftovers(); err != nil {
				t.Error(err)
			}
		})
	}
}
