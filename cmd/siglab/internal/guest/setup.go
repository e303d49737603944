// SPDX-License-Identifier: GPL-2.0-only

package guest

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"siglat/cmd/siglab/internal/wire"
)

var mounts = []struct {
	source, target, fstype string
	optional               bool // not in every kernel's configuration
}{
	{"proc", "/proc", "proc", false},
	{"sysfs", "/sys", "sysfs", false},
	{"devtmpfs", "/dev", "devtmpfs", false},
	{"devpts", "/dev/pts", "devpts", true},
	{"tmpfs", "/dev/shm", "tmpfs", false},
	{"tmpfs", "/tmp", "tmpfs", false},
	{"tmpfs", "/run", "tmpfs", false},
	{"debugfs", "/sys/kernel/debug", "debugfs", true},
	{"tracefs", "/sys/kernel/tracing", "tracefs", true},
	{"cgroup2", "/sys/fs/cgroup", "cgroup2", true},
}

func mountAll() error {
	for _, m := range mounts {
		err := os.MkdirAll(m.target, 0o755)
		if err == nil {
			err = unix.Mount(m.source, m.target, m.fstype, unix.MS_NOSUID, "")
		}
		if err != nil && !m.optional && !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("mount %s on %s: %w", m.fstype, m.target, err)
		}
	}
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		if err := os.Chmod(dir, 0o1777); err != nil {
			return err
		}
	}
	for link, target := range map[string]string{
		"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0",
		"/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, link); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// openChannel opens the second serial port and makes it pass all bytes on
// unchanged (termios(3), raw mode).
func openChannel() (*os.File, error) {
	fd, err := unix.Open(wire.Channel, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", wire.Channel, err)
	}
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("read settings of %s: %w", wire.Channel, err)
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	t.Cflag = unix.CS8 | unix.CREAD | unix.CLOCAL | unix.B115200
	t.Ispeed, t.Ospeed = unix.B115200, unix.B115200
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, t); err != nil {
		return nil, fmt.Errorf("make %s raw: %w", wire.Channel, err)
	}
	return os.NewFile(uintptr(fd), wire.Channel), nil
}

// drain waits until the port has sent all bytes (tcdrain(3) is TCSBRK with 1).
func drain(tty *os.File) {
	_ = unix.IoctlSetInt(int(tty.Fd()), unix.TCSBRK, 1)
}

func prepare() error {
	if err := unix.Sethostname([]byte("siglab")); err != nil {
		return fmt.Errorf("set host name: %w", err)
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("start interface lo: %w", err)
	}
	unlimited := &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	for _, resource := range []int{unix.RLIMIT_MEMLOCK, unix.RLIMIT_CORE} {
		if err := unix.Setrlimit(resource, unlimited); err != nil {
			return fmt.Errorf("set limit %d: %w", resource, err)
		}
	}
	rt := &unix.Rlimit{Cur: 99, Max: 99}
	if err := unix.Setrlimit(unix.RLIMIT_RTPRIO, rt); err != nil {
		return fmt.Errorf("set RLIMIT_RTPRIO: %w", err)
	}
	files := &unix.Rlimit{Cur: 1024, Max: 1 << 19}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, files); err != nil {
		return fmt.Errorf("set RLIMIT_NOFILE: %w", err)
	}
	return os.MkdirAll(wire.ResultsPath, 0o755)
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return nil // a kernel without networks
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}
