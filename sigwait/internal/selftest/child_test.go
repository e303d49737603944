// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// A child is this test binary in another role. Both ends talk over a socket,
// one byte a message; a file may travel with it. The child finds its end, and
// what else it inherits, from descriptor 3 on.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	socket int
}

const childSocket = 3

func spawn(t *testing.T, role string, inherit ...int) *child {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	for _, fd := range append([]int{pair[1]}, inherit...) {
		copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		file := os.NewFile(uintptr(copied), "inherited")
		defer file.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(pair[1])
	c := &child{t, cmd, pair[0]}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // harmless if it has ended
		_ = cmd.Wait()
		_ = unix.Close(c.socket)
	})
	return c
}

// end closes the child's socket, on which it exits, and waits.
func (c *child) end() {
	c.t.Helper()
	_ = unix.Shutdown(c.socket, unix.SHUT_RDWR)
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("child: %v", err)
	}
}

// kill is kill -9, and waits.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *child) tell(b byte) {
	c.t.Helper()
	if err := post(c.socket, b, -1); err != nil {
		c.t.Fatalf("tell child: %v", err)
	}
}

// device receives the device that the child opened.
func (c *child) device() sys.Device {
	c.t.Helper()
	_, fd, err := fetch(c.socket)
	if err != nil || fd < 0 {
		c.t.Fatalf("device from child: file %d, %v", fd, err)
	}
	d := sys.Device{FD: fd}
	c.t.Cleanup(func() { _ = d.Close() })
	return d
}

func (c *child) answer() byte {
	c.t.Helper()
	b, _, err := fetch(c.socket)
	if err != nil {
		c.t.Fatalf("answer of child: %v", err)
	}
	return b
}

func post(socket int, b byte, fd int) error {
	var rights []byte
	if fd >= 0 {
		rights = unix.UnixRights(fd)
	}
	return unix.Sendmsg(socket, []byte{b}, rights, nil, 0)
}

func fetch(socket int) (b byte, fd int, err error) {
	data, oob := make([]byte, 1), make([]byte, 64)
	var n, oobn int
	for {
		n, oobn, _, _, err = unix.Recvmsg(socket, data, oob, unix.MSG_CMSG_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil || n == 0 {
		return 0, -1, errors.Join(errors.New("the other end is closed"), err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil || len(messages) == 0 {
		return data[0], -1, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, -1, err
	}
	return data[0], fds[0], nil
}

// play is main in a child process; it returns the exit code.
func play(role string) int {
	roles := map[string]func() error{"open": playOpener, "user": playUser, "silent": playSilent, "raised": playRaised, "hold": playHolder}
	f := roles[role]
	if f == nil {
		f = func() error { return errors.New("unknown role") }
	}
	if err := f(); err != nil {
		fmt.Fprintf(os.Stderr, "child %s: %v\n", role, err)
		return 1
	}
	return 0
}

// playOpener opens, starts, hands the device to the parent, and does as told.
func playOpener() error {
	r, err := receiver()
	if err != nil {
		return err
	}
	fd, err := unix.Open(sys.DevicePath, unix.O_RDWR, 0) // stays open across execve
	if err != nil {
		return err
	}
	d := sys.Device{FD: fd}
	if err := d.SetConfig(sys.Config{Flags: sys.FlagEvents, Clock: 1, PeriodNS: ms}); err != nil {
		return err
	}
	if err := d.Start(); err != nil {
		return err
	}
	if _, ok := r.next(5 * time.Second); !ok {
		return errors.New("no signal came")
	}
	if err := post(childSocket, 0, fd); err != nil {
		return err
	}
	for {
		command, _, err := fetch(childSocket)
		if err != nil {
			return nil // the parent has closed: the end
		}
		if err := obey(command, r); err != nil {
			return err
		}
	}
}

func obey(command byte, r signals) error {
	switch command {
	case 'x': // execute another program
		return execute()
	case 't': // the same on another thread, which takes over this one's id
		failed := make(chan error)
		go func() {
			runtime.LockOSThread()
			_, _ = receiver() // blocks the signal: it would not be seen otherwise
			failed <- execute()
		}()
		return <-failed
	case 'p': // execute a program that raises privileges
		return unix.Exec(raisingProgram, os.Args, []string{roleVariable + "=raised"})
	case 'e': // an execve that fails
		if err := unix.Exec("/nonexistent", []string{"x"}, nil); !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("exec of nothing: %w", err)
		}
		return nil
	case 'u':
		return errors.Join(unix.Setresuid(1000, 1000, 1000), report(r))
	case 'g':
		return errors.Join(unix.Setresgid(1000, 1000, 1000), report(r))
	case 's': // new credentials, the same ids
		return errors.Join(unix.Setresuid(0, 0, 0), report(r))
	case 'r':
		return report(r)
	}
	return fmt.Errorf("unknown command %q", command)
}

func execute() error {
	return unix.Exec("/proc/self/exe", os.Args, []string{roleVariable + "=silent"})
}

// report tells the parent how many signals come in 50 periods from now on, at
// most 100. What was pending does not count.
func report(r signals) error {
	r.drain()
	time.Sleep(50 * time.Millisecond)
	return post(childSocket, byte(min(len(r.drain()), 100)), -1)
}

// playSilent is the program executed by one that had the device open.
func playSilent() error {
	r, err := receiver()
	if err != nil {
		return err
	}
	if err := report(r); err != nil {
		return err
	}
	_, _, _ = fetch(childSocket)
	return nil
}

// playUser is playOpener without privileges.
func playUser() error {
	if err := errors.Join(unix.Setgroups(nil), unix.Setresgid(1000, 1000, 1000), unix.Setresuid(1000, 1000, 1000)); err != nil {
		return err
	}
	return playOpener()
}

// raisingProgram is this program with the set-user-ID bit, owned by root.
const raisingProgram = "/raising.test"

// playRaised is playSilent, executed by playUser with root's rights.
func playRaised() error {
	if unix.Getuid() != 1000 || unix.Geteuid() != 0 {
		return fmt.Errorf("user %d, effective user %d; want 1000 and 0", unix.Getuid(), unix.Geteuid())
	}
	return playSilent()
}

// playHolder keeps inherited files open until the parent closes the socket.
func playHolder() error {
	if err := post(childSocket, 0, -1); err != nil {
		return err
	}
	_, _, _ = fetch(childSocket)
	return nil
}
