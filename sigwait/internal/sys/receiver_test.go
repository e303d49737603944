// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// receive runs a receiver on a thread of its own, which ends with it. source
// gets the thread's number and is called before the loop starts; wait ends
// when the loop has.
func receive(t *testing.T, name string, target uint64, source func(tid int)) *Receiver {
	t.Helper()
	r, err := NewReceiver(name, unix.CLOCK_MONOTONIC)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	tid := make(chan int, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends here
		// A parent may leave the signal blocked.
		if err := blockSignal(); err != nil {
			failed <- err
			return
		}
		if err := r.Attach(-1); err != nil {
			failed <- err
			return
		}
		if err := r.WarmUp(); err != nil {
			failed <- err
			return
		}
		r.SetTarget(target)
		tid <- unix.Gettid()
		r.Loop()
		failed <- r.Detach()
	}()
	select {
	case id := <-tid:
		source(id)
		for {
			select {
			case <-done:
				if err := <-failed; err != nil {
					t.Fatal(err)
				}
				return r
			case <-time.After(time.Millisecond):
				if taken, _ := r.Received(); taken >= target {
					_ = r.Stop(id)
				}
			}
		}
	case err := <-failed:
		t.Fatal(err)
	}
	return nil
}

func TestReceiversTakePayloadInOrder(t *testing.T) {
	const n = 5000
	for _, name := range signalKinds() {
		t.Run(name, func(t *testing.T) {
			var before, after unix.Timespec
			r := receive(t, name, n, func(tid int) {
				_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &before)
				for i := range uint64(n) {
					// A full queue is the sender's problem, not the receiver's.
					for QueueSignal(unix.Getpid(), tid, i<<32|i) != nil {
						time.Sleep(time.Millisecond)
					}
				}
			})
			_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &after)
			buf := make([]Record, n+1)
			if got := r.Drain(buf); got != n {
				t.Fatalf("%d records, want %d", got, n)
			}
			last := before.Nano()
			for i, rec := range buf[:n] {
				if want := uint64(i)<<32 | uint64(i); rec.Value != want {
					t.Fatalf("record %d: value %#x, want %#x", i, rec.Value, want)
				}
				now := rec.Sec*1e9 + rec.Nsec
				if now < last || now > after.Nano() {
					t.Fatalf("record %d: stamped %d, not in %d..%d", i, now, last, after.Nano())
				}
				last = now
				if rec.CPU >= runtime.NumCPU() {
					t.Fatalf("record %d: CPU %d", i, rec.CPU)
				}
			}
			if err := r.Free(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestFullRingCountsDrops(t *testing.T) {
	const n = slots + 100
	for _, name := range signalKinds() {
		t.Run(name, func(t *testing.T) {
			r := receive(t, name, n, func(tid int) {
				for range n {
					for QueueSignal(unix.Getpid(), tid, 1) != nil {
						time.Sleep(time.Millisecond)
					}
				}
			})
			want := uint64(n)
			if r.kind.restart {
				want++ // the signal that ended the wait found the ring full too
			}
			if taken, drops := r.Received(); taken != want || drops != want-slots {
				t.Errorf("taken %d, drops %d; want %d, %d", taken, drops, want, want-slots)
			}
			if got := r.Drain(make([]Record, n)); got != slots {
				t.Errorf("%d records in the ring, want %d", got, slots)
			}
		})
	}
}

func TestSenderPayload(t *testing.T) {
	const n = 300
	var stats Stats
	r := receive(t, "sigwait", n, func(tid int) {
		s, err := NewSender(tid, 100*time.Microsecond, n, unix.CLOCK_MONOTONIC)
		if err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := s.Send(); err != nil {
			t.Fatal(err)
		}
		stats = s.Stats()
	})
	if stats.Expired != n || stats.Sent != n || stats.Refused != 0 {
		t.Errorf("stats %+v", stats)
	}
	buf := make([]Record, n)
	if got := r.Drain(buf); got != n {
		t.Fatalf("%d records, want %d", got, n)
	}
	for i, rec := range buf {
		sent := int64(rec.Value & 0xffffffff)
		if rec.Value>>32 != uint64(i) || sent >= 1e9 {
			t.Fatalf("record %d: value %#x", i, rec.Value)
		}
		if d := (rec.Nsec - sent + 1e9) % 1e9; d > 5e8 {
			t.Fatalf("record %d: received before sent by %d ns", i, 1e9-d)
		}
	}
}

func TestNothingAllocatedPerSignal(t *testing.T) {
	r, err := NewReceiver("sigwait", unix.CLOCK_MONOTONIC)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Free() }()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &old); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
	if err := r.Attach(-1); err != nil {
		t.Fatal(err)
	}
	buf := make([]Record, 16)
	if got := testing.AllocsPerRun(100, func() {
		if err := r.WarmUp(); err != nil {
			t.Fatal(err)
		}
		r.Drain(buf)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// signalKinds are the receivers that take every signal with its value.
func signalKinds() []string {
	var names []string
	for _, k := range kinds {
		if k.signal == blocked || k.signal == handled {
			names = append(names, k.name)
		}
	}
	return names
}
