// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// ErrNoDevice is wrapped by the error of [Run] and [Probe] when the device
// does not exist.
var ErrNoDevice = errors.New("device does not exist")

// A source sends the signals of one run. open and start are called on the
// receiving thread, the others on any.
type source interface {
	open(c *Config) error
	start() error
	stop() error
	stats() (sys.Stats, error)
	fd() int
	version() string
	close() error
}

// sources are the sources by name.
var sources = map[Source]func() source{
	SourceKernel: func() source { return &kernelSource{dev: sys.Device{FD: -1}} },
	SourceUser:   func() source { return &userSource{} },
}

var clocks = map[Clock]uint32{ClockMonotonic: unix.CLOCK_MONOTONIC, ClockRealtime: unix.CLOCK_REALTIME}

var contexts = map[Context]uint32{
	ContextAuto:    sys.ContextAuto,
	ContextSoftIRQ: sys.ContextSoftIRQ,
	ContextHardIRQ: sys.ContextHardIRQ,
	ContextThread:  sys.ContextThread,
}

// Probe tells whether the module's device can be used: nil, or an error of
// one line with the remedy.
func Probe(device string) error {
	d, err := openDevice(device)
	if err != nil {
		return err
	}
	return d.Close()
}

func openDevice(path string) (sys.Device, error) {
	d, err := sys.OpenDevice(path, unix.O_RDWR)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
		return d, fmt.Errorf("%s: %w: load the module (make -C kmod && sudo insmod kmod/siglat.ko), or use the source user", path, ErrNoDevice)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return d, fmt.Errorf("%s: permission denied: run as root, or give yourself the right (sudo chown $USER %s)", path, path)
	case err != nil:
		return d, fmt.Errorf("open %s: %w", path, err)
	}
	info, err := d.Info()
	if err != nil {
		_ = d.Close()
		return d, fmt.Errorf("%s: not the device of siglat: %w", path, err)
	}
	if info.ABIVersion != sys.ABIVersion {
		_ = d.Close()
		return d, fmt.Errorf("%s: the loaded module speaks version %d of the interface, this program version %d: build and load the module of the same release", path, info.ABIVersion, sys.ABIVersion)
	}
	return d, nil
}

// kernelSource is the module.
type kernelSource struct{ dev sys.Device }

func (k *kernelSource) open(c *Config) error {
	d, err := openDevice(c.Device)
	if err != nil {
		return err
	}
	k.dev = d
	want := sys.Config{
		Clock:    clocks[c.Clock],
		Context:  contexts[c.Context],
		PeriodNS: uint64(c.Period),
		Count:    c.Count,
		CPU:      int32(c.TimerCPU),
	}
	if c.Policy == PolicyFIFO || c.Policy == PolicyRR {
		// A sending thread below the receiver would never run beside one that
		// spins on its CPU.
		want.Priority = uint32(min(max(c.Priority+1, threadPriority), maxPriority))
	}
	return k.explain(c, d.SetConfig(want))
}

const (
	threadPriority = 80 // the module's default for its sending thread
	maxPriority    = 99
)

func (k *kernelSource) explain(c *Config, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENXIO):
		return fmt.Errorf("timer CPU %d is not online (online: %s)", c.TimerCPU, onlineCPUs())
	case errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("context %s is not possible on this PREEMPT_RT kernel: use thread or softirq", c.Context)
	case errors.Is(err, unix.EINVAL):
		if info, ierr := k.dev.Info(); ierr == nil && (uint64(c.Period) < info.MinPeriodNS || uint64(c.Period) > info.MaxPeriodNS) {
			return fmt.Errorf("period %v: the module takes %d ns to %d ns", c.Period, info.MinPeriodNS, info.MaxPeriodNS)
		}
	}
	return fmt.Errorf("configure the module: %w", err)
}

func (k *kernelSource) start() error {
	if err := k.dev.Start(); err != nil {
		return fmt.Errorf("start the module's timer: %w", err)
	}
	return nil
}

func (k *kernelSource) stop() error               { return k.dev.Stop() }
func (k *kernelSource) stats() (sys.Stats, error) { return k.dev.Stats() }
func (k *kernelSource) fd() int                   { return k.dev.FD }
func (k *kernelSource) version() string           { return fmt.Sprintf("abi %d", sys.ABIVersion) }

func (k *kernelSource) close() error {
	if k.dev.FD < 0 {
		return nil
	}
	return k.dev.Close()
}

// userSource is a sending thread of this process.
type userSource struct {
	sender *sys.Sender
	c      *Config
	done   chan struct{}
	ended  atomic.Bool
}

func (u *userSource) open(c *Config) error {
	s, err := sys.NewSender(unix.Gettid(), c.Period, c.Count, clocks[c.Clock])
	u.sender, u.c, u.done = s, c, make(chan struct{})
	return err
}

// start starts the thread and returns once it is set up as asked.
func (u *userSource) start() error {
	ready := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: pinned and raised, it ends here
		defer close(u.done)
		defer u.ended.Store(true)
		err := pin(u.c.TimerCPU)
		if err == nil && (u.c.Policy == PolicyFIFO || u.c.Policy == PolicyRR) {
			// Above the receiver, which may spin on the same CPU.
			err = schedule(PolicyFIFO, min(u.c.Priority+1, maxPriority))
		}
		ready <- err
		if err == nil {
			_ = u.sender.Send()
		}
	}()
	return <-ready
}

func (u *userSource) stop() error {
	u.sender.Stop()
	<-u.done
	return nil
}

func (u *userSource) stats() (sys.Stats, error) {
	s := u.sender.Stats()
	s.CPU, s.State = int32(u.c.TimerCPU), sys.StateRunning
	if u.ended.Load() {
		s.State = sys.StateDone
	}
	return s, nil
}

func (u *userSource) fd() int         { return -1 }
func (u *userSource) version() string { return "" }

func (u *userSource) close() error {
	if u.sender == nil {
		return nil
	}
	return u.sender.Free()
}
