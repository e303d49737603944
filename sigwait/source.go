// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

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
	// events reads what there is of the event stream without a wait.
	events(buf []sys.Event) (int, error)
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

// userSource is a sending thread of this process.
type userSource struct {
	sender *sys.Sender
	c      *Config
	done   chan struct{}
	ended  atomic.Bool
}

func (u *userSource) open(c *Config) error {
	if c.events {
		what := "segments need"
		if c.Receiver == "read" {
			what = "receiver read needs"
		}
		return fmt.Errorf("%s the module's event stream: load the module (make -C kmod && sudo insmod kmod/siglat.ko) and use --source kernel", what)
	}
	s, err := sys.NewSender(unix.Gettid(), c.Period, c.Count, clocks[c.Clock])
	u.sender, u.c, u.done = s, c, make(chan struct{})
	return err
}

// start starts the thread and returns once it is set up as asked.
func (u *userSource) start() error {
	ready := make(chan error, 1)
	thread(func() {
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
	})
	return <-ready
}

func (u *userSource) stop() error {
	for {
		u.sender.Stop()
		select {
		case <-u.done:
			return nil
		case <-time.After(time.Millisecond):
		}
	}
}

func (u *userSource) stats() (sys.Stats, error) {
	s := u.sender.Stats()
	s.CPU, s.State = int32(u.c.TimerCPU), sys.StateRunning
	if u.ended.Load() {
		s.State = sys.StateDone
	}
	return s, nil
}

func (u *userSource) fd() int                         { return -1 }
func (u *userSource) version() string                 { return "" }
func (u *userSource) events([]sys.Event) (int, error) { return 0, nil }

func (u *userSource) close() error {
	if u.sender == nil {
		return nil
	}
	return u.sender.Free()
}
