// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"siglat/sigwait"
	"siglat/sigwait/internal/sys"
)

const (
	ringMarks = 16384 // kept by the module for each CPU, of 64 bytes each
	batch     = 1024
)

// errNumbers means that marks cannot be told by the numbers of threads here.
var errNumbers = errors.New(": run it outside of the container, or in one with the host's process numbers")

// A module is the device with the module's probes at work.
type module struct {
	dev sys.Device
	buf []sys.Mark
}

func openModule(device string, cpus []int) (*module, error) {
	if err := sigwait.Probe(device); err != nil {
		return nil, err
	}
	dev, err := sys.OpenDevice(device, unix.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	if err := begin(dev, cpus); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return &module{dev, make([]sys.Mark, batch)}, nil
}

func begin(dev sys.Device, cpus []int) error {
	want := sys.Trace{Marks: ringMarks}
	for _, cpu := range cpus {
		if cpu < 0 || cpu >= sys.TraceCPUs {
			return fmt.Errorf("trace CPU %d: the module traces CPUs 0 to %d", cpu, sys.TraceCPUs-1)
		}
		want.CPUs[cpu/64] |= 1 << (cpu % 64)
	}
	switch err := dev.Trace(&want); {
	case errors.Is(err, unix.EPERM):
		return errors.New("trace: needs CAP_PERFMON: run as root")
	case errors.Is(err, unix.EOPNOTSUPP):
		return errors.New("trace: this kernel lacks a tracepoint that the module needs (sched, irq, signal)")
	case err != nil:
		return fmt.Errorf("trace CPUs %v: %w", cpus, err)
	}
	if int(want.TGID) != os.Getpid() {
		return fmt.Errorf("trace: this process is %d here and %d for the kernel%w", os.Getpid(), want.TGID, errNumbers)
	}
	return nil
}

func (m *module) fill(h *history, _ int) (lost uint64, err error) {
	for {
		ask := sys.Marks{CPU: uint32(h.cpu), Next: h.next}
		n, err := m.dev.Marks(&ask, m.buf)
		if err != nil {
			return lost, fmt.Errorf("read the marks of CPU %d: %w", h.cpu, err)
		}
		lost += uint64(ask.Lost)
		h.next = ask.Next
		if h.add(m.buf[:n], ask.Lost > 0); n < len(m.buf) {
			return lost, nil
		}
	}
}

func (m *module) close() error { return m.dev.Close() }
