// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// An operation is something a thread can do, how likely, and the errors that
// are no fault.
type operation struct {
	name   string
	weight int
	do     func(t *thread) error
	errors []unix.Errno
}

var errThreadEnds = errors.New("thread ends")

// A descriptor that another thread closed meanwhile can be any other file.
var stale = []unix.Errno{unix.EBADF, unix.ENOTTY, unix.EINTR}

func orStale(errs ...unix.Errno) []unix.Errno { return append(errs, stale...) }

var operations []operation

func init() { // the functions use the table
	operations = []operation{
		{"open", 12, openDevice, []unix.Errno{unix.EACCES, unix.ENXIO, unix.EINTR, unix.EMFILE}},
		{"close", 4, closeDevice, nil},
		{"dup", 3, duplicate, []unix.Errno{unix.EBADF, unix.EMFILE}},
		{"set configuration", 20, setConfig, orStale(unix.EINVAL, unix.ENXIO, unix.EOPNOTSUPP, unix.EBUSY)},
		{"start", 20, func(t *thread) error { return t.device().Start() }, orStale(unix.EBUSY, unix.ESRCH, unix.ENXIO)},
		{"stop", 10, func(t *thread) error { return t.device().Stop() }, stale},
		{"statistics", 10, func(t *thread) error { _, err := t.device().Stats(); return err }, stale},
		{"get configuration", 3, func(t *thread) error { _, err := t.device().GetConfig(); return err }, stale},
		{"wrong pointer", 5, wrongPointer, nil},
		{"unknown request", 5, unknownRequest, nil},
		{"read", 20, readEvents, orStale(unix.EINVAL, unix.EAGAIN)},
		{"short read", 3, readShort, nil},
		{"read into a hole", 3, readIntoHole, nil},
		{"poll", 12, poll, []unix.Errno{unix.EINTR}},
		{"account", 6, account, []unix.Errno{unix.EACCES, unix.ENXIO, unix.EINTR, unix.EMFILE, unix.ESRCH}},
		{"pass", 5, pass, []unix.Errno{unix.EAGAIN, unix.EBADF, unix.ETOOMANYREFS, unix.EPIPE}},
		{"take", 5, take, []unix.Errno{unix.EAGAIN, unix.EINTR}},
		{"trace", 3, trace, orStale(unix.EINVAL, unix.ENXIO, unix.EBUSY, unix.ENOMEM, unix.EPERM)},
		{"marks", 10, marks, orStale(unix.EINVAL, unix.ENXIO)},
		{"mask", 6, mask, nil},
		{"kill", 3, kill, []unix.Errno{unix.EAGAIN}},
		{"signal limit", 2, limit, []unix.Errno{unix.EPERM}},
		{"affinity", 5, affinity, []unix.Errno{unix.EINVAL}},
		{"policy", 2, policy, []unix.Errno{unix.EPERM}},
		{"other calls", 4, otherCalls, nil},
		{"nap", 12, func(t *thread) error { t.nap(3 * time.Millisecond); return nil }, nil},
		{"fork", 1, fork, []unix.Errno{unix.EACCES, unix.EAGAIN, unix.EMFILE, unix.EBADF}},
		{"exec", 1, execute, []unix.Errno{unix.EACCES}},
		{"new credentials", 1, credentials, []unix.Errno{unix.EPERM}},
		{"thread exit", 4, func(*thread) error { return errThreadEnds }, nil},
	}
	// A tracepoint in use is a change of the kernel's text, of which an emulator
	// with a thread for each CPU may run the old and the new at once: "Oops: int3"
	// (Red Hat bug 2216496).
	if os.Getenv("STRESS_UNTRACED") != "" {
		for i := range operations {
			if name := operations[i].name; name == "trace" || name == "marks" {
				operations[i].weight = 0
			}
		}
	}
}

func lockThread() { runtime.LockOSThread() }

func openDevice(t *thread) error {
	flags := pick(t, unix.O_RDONLY, unix.O_RDWR, unix.O_RDWR, unix.O_WRONLY) | pick(t, 0, unix.O_NONBLOCK) | pick(t, 0, unix.O_CLOEXEC)
	fd, err := unix.Open(sys.DevicePath, flags, 0)
	if err != nil {
		return err
	}
	return t.keep(fd)
}

func closeDevice(t *thread) error {
	if fd, ok := t.give(); ok {
		return unix.Close(fd)
	}
	return nil
}

func duplicate(t *thread) error {
	fd, err := unix.FcntlInt(uintptr(t.device().FD), pick(t, unix.F_DUPFD, unix.F_DUPFD_CLOEXEC), 6)
	if err != nil {
		return err
	}
	return t.keep(fd)
}

// pass sends a device to whichever process takes it; it may be in flight when
// all of them end.
func pass(t *thread) error {
	rights := unix.UnixRights(t.device().FD)
	return unix.Sendmsg(sharedFD+t.rng.IntN(2), []byte{0}, rights, nil, unix.MSG_DONTWAIT)
}

func take(t *thread) error {
	fd, err := takeFrom(sharedFD + t.rng.IntN(2))
	if err != nil || fd < 0 {
		return err
	}
	return t.keep(fd)
}

// takeFrom returns a descriptor out of the socket, -1 if none came along.
func takeFrom(socket int) (int, error) {
	data, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, data, oob, unix.MSG_DONTWAIT)
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) == 0 {
		return -1, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return -1, err
	}
	return fds[0], nil
}

func drainShared(socket int) {
	for {
		fd, err := takeFrom(socket)
		if err != nil {
			return
		}
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// fork makes a process that has the device and did not open it.
func fork(t *thread) error {
	fd, err := unix.FcntlInt(uintptr(t.device().FD), unix.F_DUPFD_CLOEXEC, 6)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), "device")
	defer file.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=heir", fmt.Sprintf("%s=%d", seedVariable, t.rng.Uint64()))
	cmd.ExtraFiles = []*os.File{file}
	if err := cmd.Start(); err != nil {
		return err
	}
	if t.one(2) {
		_ = cmd.Process.Kill()
	}
	if t.one(2) {
		_ = cmd.Wait()
	}
	return nil
}

// execute replaces the program; devices that are not close-on-exec remain.
// What is pending stays pending (siglat.h), and would end the new program
// before it has a handler; blocked, only a signal sent later could.
func execute(t *thread) error {
	var set unix.Sigset_t
	set.Val[0] = 1 << (sys.Signal - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil); err != nil {
		return err
	}
	env := append(os.Environ(), fmt.Sprintf("%s=%d", seedVariable, t.rng.Uint64()))
	return unix.Exec("/proc/self/exe", os.Args, env)
}
