// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

func mask(t *thread) error {
	var set unix.Sigset_t
	set.Val[0] = 1 << (sys.Signal - 1)
	return unix.PthreadSigmask(pick(t, unix.SIG_BLOCK, unix.SIG_BLOCK, unix.SIG_UNBLOCK), &set, nil)
}

func kill(t *thread) error {
	return unix.Tgkill(os.Getpid(), unix.Gettid(), unix.Signal(sys.Signal))
}

// limit makes the kernel refuse signals once some are pending.
func limit(t *thread) error {
	n := pick(t, 0, t.rng.Uint64N(50), 3000)
	return unix.Setrlimit(unix.RLIMIT_SIGPENDING, &unix.Rlimit{Cur: n, Max: 3000})
}

// affinity of the thread; EINVAL while the CPU is off line.
func affinity(t *thread) error {
	var set unix.CPUSet
	set.Set(t.rng.IntN(2))
	if t.one(2) {
		set.Set(0)
		set.Set(1)
	}
	return unix.SchedSetaffinity(0, &set)
}

func policy(t *thread) error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
	if t.one(3) {
		attr.Policy, attr.Priority = unix.SCHED_FIFO, 1+uint32(t.rng.IntN(40))
	}
	return unix.SchedSetAttr(0, &attr, 0)
}

// otherCalls are those that the module does not serve; any error will do.
func otherCalls(t *thread) error {
	fd := t.device().FD
	switch t.rng.IntN(7) {
	case 0:
		_, _ = unix.Seek(fd, t.rng.Int64(), t.rng.IntN(4))
	case 1:
		_, _ = unix.Pread(fd, make([]byte, 64), t.rng.Int64())
	case 2:
		_, _ = unix.Write(fd, make([]byte, 64))
	case 3:
		if mem, err := unix.Mmap(fd, 0, 4096, unix.PROT_READ, unix.MAP_SHARED); err == nil {
			_ = unix.Munmap(mem)
		}
	case 4:
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, pick(t, unix.O_ASYNC, unix.O_NONBLOCK, 0))
	case 5:
		return watch(t, fd)
	case 6:
		_, _ = os.ReadFile("/proc/timer_list")
	}
	return nil
}

// watch polls by epoll(7), whose entry stays in the module's wait queue until
// the last descriptor of the device is closed.
func watch(t *thread, fd int) error {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return except(err, unix.EMFILE)
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN | pick[uint32](t, 0, unix.EPOLLET, unix.EPOLLONESHOT)}
	if unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &event) == nil {
		_, _ = unix.EpollWait(ep, make([]unix.EpollEvent, 4), t.rng.IntN(4))
	}
	if t.one(2) {
		_ = closeDevice(t)
	}
	return unix.Close(ep)
}

// credentials gives up all rights, of all threads: the module sends to none of
// them any more, and none can open it again. A new process takes over soon.
func credentials(t *thread) error {
	if t.one(2) {
		return unix.Setresuid(-1, pick(t, 0, -1), -1)
	}
	id := 1000
	if err := unix.Setresgid(id, id, id); err != nil {
		return err
	}
	return unix.Setresuid(id, id, id)
}

// inherit is main in a process that got a device from its parent.
func inherit() int {
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		return complain(err)
	}
	t := &thread{&worker{end: time.Now(), fds: []int{3}}, newRand(seed)}
	for range 3 + t.rng.IntN(20) {
		op := pick(t, setConfig, poll, readShort, wrongPointer, func(t *thread) error { return t.device().Stop() },
			func(t *thread) error { return t.device().Start() })
		_ = op(t) // what may fail is checked in workers
		t.nap(2 * time.Millisecond)
	}
	return 0
}
