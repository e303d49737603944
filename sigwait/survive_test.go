// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, name := range signalReceivers() {
		c := base()
		c.Receiver = name
		// The only processor of the scheduler has something else to do.
		var stop atomic.Bool
		var beside sync.WaitGroup
		beside.Go(func() {
			for !stop.Load() {
			}
		})
		_, res := measure(t, context.Background(), c)
		stop.Store(true)
		beside.Wait()
		if n := res.Counts; n.Sent != c.Count || n.Lost != 0 || !res.Complete {
			t.Errorf("%s: complete %v, counts %+v", name, res.Complete, n)
		}
	}
}

func TestThousandsOfGoroutines(t *testing.T) {
	stop := make(chan struct{})
	var beside sync.WaitGroup
	var turns atomic.Uint64
	for range 5000 {
		beside.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
					turns.Add(1)
				}
			}
		})
	}
	for _, name := range signalReceivers() {
		c := base()
		c.Receiver = name
		if _, res := measure(t, context.Background(), c); res.Counts.Received != c.Count {
			t.Errorf("%s: %+v", name, res.Counts)
		}
	}
	close(stop)
	beside.Wait()
	if turns.Load() == 0 {
		t.Error("no goroutine had its turn")
	}
}

// TestStraySignals sends the receivers' signal to the whole process, where any
// thread may take it: a receiver counts it as one that it has had already,
// without a latency of its own, or it has no effect.
func TestStraySignals(t *testing.T) {
	const strays = 100
	for _, name := range signalReceivers() {
		c := base()
		c.Receiver, c.Count = name, 0
		ctx, cancel := context.WithCancel(context.Background())
		seen, valid, sent := uint64(0), uint64(0), false
		res, err := Run(ctx, c, func(Effective) {}, func(batch []Sample) {
			for _, s := range batch {
				if s.Valid {
					valid++
				}
			}
			if seen += uint64(len(batch)); sent {
				return
			}
			for range strays {
				if err := unix.Kill(unix.Getpid(), unix.Signal(64)); err != nil {
					t.Error(err)
				}
			}
			sent = true
			time.AfterFunc(100*time.Millisecond, cancel)
		})
		n := res.Counts
		if err != nil || n.Lost != 0 || n.Received != n.Sent || n.Duplicates > strays || seen != n.Received+n.Duplicates || valid+n.Invalid != n.Received || !sent {
			t.Errorf("%s: %d samples, counts %+v, %v", name, seen, n, err)
		}
		t.Logf("%s: %d of %d stray signals taken", name, n.Duplicates, strays)
	}
}

// TestStrangersDoNotCount sends the receiving thread signals of others in a
// run of a given length: it ends with all of its own.
func TestStrangersDoNotCount(t *testing.T) {
	const strays = 5
	for _, name := range signalReceivers() {
		c := base()
		c.Receiver, c.Count = name, 300
		c.Period = 2 * time.Millisecond
		sent := 0
		res, err := Run(context.Background(), c, func(Effective) {}, func([]Sample) {
			for ; sent < strays; sent++ {
				for _, tid := range threads() {
					_ = unix.Tgkill(unix.Getpid(), tid, unix.Signal(64)) // fails for one that has ended
				}
			}
		})
		n := res.Counts
		if err != nil || n.Sent != c.Count || n.Received != c.Count || n.Lost != 0 || !res.Complete {
			t.Errorf("%s: counts %+v, %v", name, n, err)
		}
		if n.Duplicates == 0 {
			t.Errorf("%s took no stray signal: nothing was tested", name)
		}
	}
}
