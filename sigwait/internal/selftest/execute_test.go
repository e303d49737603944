// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

func TestOpenerExecutes(t *testing.T) {
	for _, how := range []byte{'x', 't'} {
		t.Run(string(how), func(t *testing.T) {
			c := spawn(t, "open")
			d := c.device()
			awaitExpired(t, d, 5)
			c.tell(how)
			if n := c.answer(); n != 0 {
				t.Errorf("%d signals reached the other program", n)
			}
			checkGone(t, d)
			c.end()
		})
	}
}

// TestOpenerRaisesPrivileges: a program with the set-user-ID bit, executed by
// an ordinary user who had the device open, gets no signal of his.
func TestOpenerRaisesPrivileges(t *testing.T) {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(raisingProgram, program, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(raisingProgram)
	if err := unix.Chmod(raisingProgram, unix.S_ISUID|0o755); err != nil {
		t.Fatal(err)
	}
	var was unix.Stat_t
	if err := errors.Join(unix.Stat(sys.DevicePath, &was), unix.Chmod(sys.DevicePath, 0o666)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Chmod(sys.DevicePath, was.Mode&0o777) }()
	c := spawn(t, "user")
	d := c.device()
	awaitExpired(t, d, 5)
	c.tell('p')
	if n := c.answer(); n != 0 {
		t.Errorf("%d signals reached the program with raised privileges", n)
	}
	checkGone(t, d)
	c.end()
}

// TestFailedExecute: a program that is not there changes nothing.
func TestFailedExecute(t *testing.T) {
	c := spawn(t, "open")
	d := c.device()
	c.tell('e')
	c.tell('r')
	if n := c.answer(); n == 0 {
		t.Error("no signal after an execve that failed")
	}
	if st := stats(t, d); st.State != sys.StateRunning {
		t.Errorf("state %#x; want running", st.State)
	}
	c.end()
}

func TestOpenerChangesCredentials(t *testing.T) {
	for _, how := range []byte{'u', 'g'} {
		t.Run(string(how), func(t *testing.T) {
			c := spawn(t, "open")
			d := c.device()
			awaitExpired(t, d, 5)
			c.tell(how)
			if n := c.answer(); n != 0 {
				t.Errorf("%d signals came after the change", n)
			}
			checkGone(t, d)
			c.end()
		})
	}
}
