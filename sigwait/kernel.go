// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

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
		return d, fmt.Errorf("%s: %w: load the module (make -C kmod && sudo insmod kmod/siglat.ko)", path, ErrNoDevice)
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
type kernelSource struct {
	dev      sys.Device
	noSignal bool
}

func (k *kernelSource) open(c *Config) error {
	d, err := openDevice(c.Device)
	if err != nil {
		return err
	}
	k.dev, k.noSignal = d, c.noSignal
	want := sys.Config{
		Clock:    clocks[c.Clock],
		Context:  contexts[c.Context],
		PeriodNS: uint64(c.Period),
		Count:    c.Count,
		CPU:      int32(c.TimerCPU),
	}
	if c.events {
		want.Flags = sys.FlagEvents
	}
	if c.noSignal {
		want.Mode = modes[c.Mode]
	}
	if c.noSignal && !c.inModule() {
		want.Mode = sys.ModeIRQ
		if c.Context == ContextAuto {
			want.Context = sys.ContextSoftIRQ // as signals are sent on a stock kernel
		}
	}
	if want.Priority, err = k.senderPriority(c); err != nil {
		return err
	}
	return k.explain(c, d.SetConfig(want))
}

// senderPriority returns the priority of the module's thread: 0 for the
// module's default. A sending thread below the receiver would never run beside
// one that spins on its CPU.
func (k *kernelSource) senderPriority(c *Config) (uint32, error) {
	if c.Policy != PolicyFIFO && c.Policy != PolicyRR {
		return 0, nil
	}
	if c.inModule() {
		return uint32(c.Priority), nil
	}
	info, err := k.dev.Info()
	if err != nil || info.Features&sys.FeaturePriority == 0 {
		return 0, err
	}
	return uint32(min(max(c.Priority+1, threadPriority), maxPriority)), nil
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
	case errors.Is(err, unix.EOPNOTSUPP) && c.inModule():
		return fmt.Errorf("priority %d of the module's thread: this kernel, older than 5.14, has one only: leave it out", c.Priority)
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

func (k *kernelSource) stop() error     { return k.dev.Stop() }
func (k *kernelSource) fd() int         { return k.dev.FD }
func (k *kernelSource) version() string { return fmt.Sprintf("abi %d", sys.ABIVersion) }

func (k *kernelSource) stats() (sys.Stats, error) {
	s, err := k.dev.Stats()
	if k.noSignal {
		s.Sent = s.Expired // every expiry is an event
	}
	return s, err
}

func (k *kernelSource) events(buf []sys.Event) (int, error) {
	for {
		ready := []unix.PollFd{{Fd: int32(k.dev.FD), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, 0)
		if err == unix.EINTR {
			continue
		}
		if n == 0 || err != nil || ready[0].Revents&unix.POLLIN == 0 {
			return 0, err
		}
		return k.dev.ReadEvents(buf)
	}
}

func (k *kernelSource) close() error {
	if k.dev.FD < 0 {
		return nil
	}
	return k.dev.Close()
}
