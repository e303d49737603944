// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"siglat/sigwait"
	"siglat/sigwait/internal/sys"
)

const (
	ringMarks = 16384 // kept by the module for each CPU, of 64 bytes each
	kept      = 32768 // kept here for each CPU, at least
	batch     = 1024
)

// A Tracer collects marks of some CPUs. It is not safe for concurrent use.
type Tracer struct {
	dev  sys.Device
	cpus []*history
	lost uint64
	buf  []sys.Mark
}

// Open begins to trace CPUs, wake-ups and signals of this process on them
// only, by the module's device. It needs the right to open that, as
// [sigwait.Probe] does; its error is one line with the remedy. While a Tracer
// is open, each switch of tasks and each interrupt on these CPUs takes some
// tens of nanoseconds longer.
func Open(device string, cpus []int) (*Tracer, error) {
	if err := sigwait.Probe(device); err != nil {
		return nil, err
	}
	dev, err := sys.OpenDevice(device, unix.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	t := &Tracer{dev: dev, buf: make([]sys.Mark, batch)}
	if err := t.start(cpus); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return t, nil
}

func (t *Tracer) start(cpus []int) error {
	want := sys.Trace{Marks: ringMarks}
	for _, cpu := range cpus {
		if cpu < 0 || cpu >= sys.TraceCPUs {
			return fmt.Errorf("trace CPU %d: the module traces CPUs 0 to %d", cpu, sys.TraceCPUs-1)
		}
		if h := (&history{cpu: cpu}); t.of(cpu) == nil {
			t.cpus = append(t.cpus, h)
		}
		want.CPUs[cpu/64] |= 1 << (cpu % 64)
	}
	switch err := t.dev.Trace(&want); {
	case errors.Is(err, unix.EOPNOTSUPP):
		return errors.New("trace: this kernel lacks a tracepoint that the module needs (sched, irq, signal)")
	case err != nil:
		return fmt.Errorf("trace CPUs %v: %w", cpus, err)
	}
	if int(want.TGID) != os.Getpid() {
		return fmt.Errorf("trace: this process is %d here and %d for the kernel: run it outside of the container, or in one with the host's process numbers", os.Getpid(), want.TGID)
	}
	return nil
}

// of returns what is known of a CPU, nil if it is not traced.
func (t *Tracer) of(cpu int) *history {
	i := slices.IndexFunc(t.cpus, func(h *history) bool { return h.cpu == cpu })
	if i < 0 {
		return nil
	}
	return t.cpus[i]
}

// Fill takes the marks that there are. What was marked before a sample was
// received is known after a Fill after that, unless Fill is called so rarely
// that the module overwrites marks (16384 for each CPU); see [Tracer.Lost].
func (t *Tracer) Fill() error {
	for _, h := range t.cpus {
		for {
			ask := sys.Marks{CPU: uint32(h.cpu), Next: h.next}
			n, err := t.dev.Marks(&ask, t.buf)
			if err != nil {
				return fmt.Errorf("read the marks of CPU %d: %w", h.cpu, err)
			}
			t.lost += uint64(ask.Lost)
			h.next = ask.Next
			h.add(t.buf[:n], ask.Lost > 0)
			if n < len(t.buf) {
				break
			}
		}
	}
	return nil
}

// Lost returns how many marks were overwritten before they were taken.
func (t *Tracer) Lost() uint64 { return t.lost }

// Close ends tracing. It waits until no probe runs any more, some
// milliseconds.
func (t *Tracer) Close() error { return t.dev.Close() }
