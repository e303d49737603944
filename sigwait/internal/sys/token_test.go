// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"errors"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// onThread runs f on a thread that ends with it.
func onThread(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: its mask is changed
		f()
	}()
	<-done
}

// A message is sent once by Send and not at all by Check, whoever takes it.
func TestToSelf(t *testing.T) {
	onThread(t, func() {
		if err := BlockSignal(); err != nil {
			t.Error(err)
			return
		}
		fd, err := SignalFile()
		if err != nil {
			t.Error(err)
			return
		}
		defer unix.Close(fd)
		m := ToSelf()
		read := func() error { return ReadSignal(fd) }
		for name, take := range map[string]func() error{"sigtimedwait": TakeSignal, "signalfd": read} {
			if err := m.Check(); err != nil {
				t.Error(err)
			}
			if err := take(); !errors.Is(err, unix.EAGAIN) {
				t.Errorf("%s after a check: %v", name, err)
			}
			if err := m.Send(); err != nil {
				t.Error(err)
			}
			if err := take(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := take(); !errors.Is(err, unix.EAGAIN) {
				t.Errorf("%s took the signal twice: %v", name, err)
			}
		}
	})
}

func TestWaitSignal(t *testing.T) {
	onThread(t, func() {
		if err := BlockSignal(); err != nil {
			t.Error(err)
			return
		}
		m := ToSelf()
		for _, want := range []uint32{1, 0, 1<<32 - 1} {
			m.SetToken(want)
			if err := m.Send(); err != nil {
				t.Error(err)
				return
			}
			if got, err := WaitSignal(); got != want || err != nil {
				t.Errorf("%d, %v, want %d", got, err, want)
			}
		}
	})
}

// A signal that is caught is gone, and what the process did before is back.
func TestCatchSignal(t *testing.T) {
	onThread(t, func() {
		before, err := ReadAction()
		if err != nil {
			t.Error(err)
			return
		}
		restore, err := CatchSignal()
		if errors.Is(err, errors.ErrUnsupported) && !haveHandler {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		during, err := ReadAction()
		if err != nil || during.now == before.now {
			t.Errorf("action %+v while catching, %v", during, err)
		}
		if err := ToSelf().Send(); err != nil {
			t.Error(err)
		}
		if err := restore(); err != nil {
			t.Error(err)
		}
		if err := BlockSignal(); err != nil {
			t.Error(err)
		}
		if err := TakeSignal(); !errors.Is(err, unix.EAGAIN) {
			t.Errorf("the signal was not caught: %v", err)
		}
		after, err := ReadAction()
		if err != nil || after.now != before.now {
			t.Errorf("action %+v, before %+v, %v", after, before, err)
		}
		if err := before.Install(); err != nil {
			t.Error(err)
		}
	})
}
