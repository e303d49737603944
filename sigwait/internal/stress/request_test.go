// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// pick returns one of the values.
func pick[T any](t *thread, values ...T) T { return values[t.rng.IntN(len(values))] }

// one is true once in n times.
func (t *thread) one(n int) bool { return t.rng.IntN(n) == 0 }

// config returns a configuration that is mostly valid.
func (t *thread) config(least uint64) sys.Config {
	c := sys.Config{
		Flags:    uint32(t.rng.IntN(2)),
		Mode:     uint32(t.rng.IntN(3)),
		Clock:    uint32(t.rng.IntN(2)),
		Context:  pick[uint32](t, sys.ContextAuto, sys.ContextAuto, sys.ContextSoftIRQ, sys.ContextHardIRQ, sys.ContextThread),
		PeriodNS: least + uint64(t.rng.Int64N(int64(20*time.Millisecond))),
		CPU:      int32(t.rng.IntN(3)) - 1,
		Priority: pick[uint32](t, 0, 0, 1, 50, 99),
	}
	if c.Mode != sys.ModeUser && c.Context == sys.ContextThread {
		c.Context = sys.ContextAuto
	}
	if t.one(2) {
		c.Count = 1 + t.rng.Uint64N(50)
	}
	if t.one(5) {
		c.PeriodNS = least
	}
	if t.one(6) {
		t.spoil(&c, least)
	}
	return c
}

// spoil makes one field wrong, or at the edge of what is right.
func (t *thread) spoil(c *sys.Config, least uint64) {
	switch t.rng.IntN(8) {
	case 0:
		c.Flags = t.rng.Uint32()
	case 1:
		c.Mode = pick(t, 3, t.rng.Uint32())
	case 2:
		c.Clock = pick(t, 2, 7, t.rng.Uint32())
	case 3:
		c.Context = pick(t, 4, t.rng.Uint32())
	case 4:
		c.PeriodNS = pick(t, 0, 1, least-1, 3600e9, 3600e9+1, 1<<63, t.rng.Uint64())
	case 5:
		c.Count = pick(t, 1<<62, 1<<63, ^uint64(0), t.rng.Uint64())
	case 6:
		c.CPU = pick(t, -2, 2, 63, 64, 1<<30, -1<<31, t.rng.Int32())
	case 7:
		c.Padding[t.rng.IntN(len(c.Padding))] = 1 << t.rng.IntN(32)
	}
}

func setConfig(t *thread) error {
	d := t.device()
	info, err := d.Info()
	if err != nil {
		return err
	}
	return d.SetConfig(t.config(info.MinPeriodNS))
}

// wrongPointers are none that the kernel may read from or write to.
var wrongPointers = []uintptr{0, 1, 4095, 0x7ffffffff000 - 8, 0x800000000000, 0xffff888000000000, ^uintptr(0) - 63}

func wrongPointer(t *thread) error {
	request := pick[uintptr](t, sys.IOCInfo, sys.IOCGetConfig, sys.IOCSetConfig, sys.IOCStats)
	err := t.device().Ioctl(request, pick(t, wrongPointers...))
	if err == nil {
		return errors.New("a wrong pointer was taken")
	}
	return except(err, unix.EFAULT, unix.EBADF, unix.ENOTTY, unix.EINTR, unix.EBUSY)
}

// except drops the errors that are right.
func except(err error, right ...unix.Errno) error {
	for _, e := range right {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}

// unknownRequest changes a known request's number, size or direction, or is
// of another type altogether. None with a pointer is valid, so that nothing
// in this process is overwritten if one is.
func unknownRequest(t *thread) error {
	request := pick[uint32](t, sys.IOCInfo, sys.IOCSetConfig, sys.IOCStart, sys.IOCStats)
	switch t.rng.IntN(4) {
	case 0:
		request += uint32(8 + t.rng.IntN(200)) // the number
	case 1:
		request ^= 1 << (16 + t.rng.IntN(14)) // the size
	case 2:
		request ^= 1 << 30 // the direction
	case 3:
		request ^= 1 << (8 + t.rng.IntN(8)) // the type
	}
	err := t.device().Ioctl(uintptr(request), pick(t, wrongPointers...))
	if err == nil {
		return fmt.Errorf("request %#x was taken", request)
	}
	return except(err, unix.ENOTTY, unix.EBADF, unix.EFAULT, unix.EINTR)
}

func readEvents(t *thread) error {
	_, err := t.device().ReadEvents(make([]sys.Event, 1+t.rng.IntN(40)))
	return err
}

func readShort(t *thread) error {
	n, err := unix.Read(t.device().FD, make([]byte, t.rng.IntN(64)))
	if err == nil && n > 0 {
		return fmt.Errorf("%d bytes were read: no whole event", n)
	}
	return except(err, unix.EINVAL, unix.EBADF, unix.EAGAIN, unix.EINTR)
}

// readIntoHole reads where nothing can be written: events get lost.
func readIntoHole(t *thread) error {
	hole, err := unix.Mmap(-1, 0, 4096, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(hole) }()
	n, err := unix.Read(t.device().FD, hole)
	if n > 0 {
		return fmt.Errorf("%d bytes were read into memory that cannot be written", n)
	}
	return except(err, unix.EFAULT, unix.EINVAL, unix.EBADF, unix.EAGAIN, unix.EINTR)
}

func poll(t *thread) error {
	fds := []unix.PollFd{
		{Fd: int32(t.device().FD), Events: unix.POLLIN},
		{Fd: int32(t.device().FD), Events: int16(t.rng.IntN(1 << 15))},
	}
	_, err := unix.Poll(fds, t.rng.IntN(4))
	return err
}

// account runs a stream that no other thread knows to its end: each expiry is
// one signal, sent or refused.
func account(t *thread) error {
	d, err := sys.OpenDevice(sys.DevicePath, unix.O_RDWR)
	if err != nil {
		return err
	}
	defer d.Close()
	info, err := d.Info()
	if err != nil {
		return err
	}
	c := sys.Config{Flags: uint32(t.rng.IntN(2)), PeriodNS: info.MinPeriodNS * 4, Count: 1 + t.rng.Uint64N(40),
		Context: pick[uint32](t, sys.ContextAuto, sys.ContextThread, sys.ContextSoftIRQ), CPU: sys.CPUCurrent}
	if err := errors.Join(d.SetConfig(c), d.Start()); err != nil {
		return err
	}
	for time.Now().Before(t.end) {
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(d.FD)}}, 20) // POLLHUP at the end
		st, err := d.Stats()
		if err != nil {
			return err
		}
		if st.State&sys.StateRunning != 0 {
			continue
		}
		if st.Expired != st.Sent+st.Refused || st.State == sys.StateDone && st.Expired != c.Count {
			return fmt.Errorf("count %d, statistics %+v", c.Count, st)
		}
		return nil
	}
	return nil
}
