// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// WakeUps measures a wake-up alone, as it delays who wakes: how long the call
// by futex(2) takes that wakes a thread of a lower priority on the same CPU,
// and how long where nobody waits, both with a reading of the clock, in ns. The
// caller must be allowed the priority of SCHED_FIFO, 2 or higher.
func WakeUps(cpu, priority, rounds int) (waking, alone []int64, err error) {
	if priority < 2 {
		return nil, nil, errors.New("measure a wake-up: wants a real-time priority of 2 or higher")
	}
	fd, err := sys.NewBaton()
	if err != nil {
		return nil, nil, err
	}
	defer unix.Close(fd)
	baton, err := sys.MapBaton(fd, false)
	if err != nil {
		return nil, nil, err
	}
	// A thread in a raw system call keeps its place in the scheduler.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 2))
	var tired atomic.Bool
	woken := onThread(cpu, priority-1, func() error {
		for !tired.Load() {
			if _, err := baton.Take(); err != nil {
				return err
			}
		}
		return nil
	})
	measure := func() (ns []int64, err error) {
		err = <-onThread(cpu, priority, func() (err error) {
			ns, err = wakings(baton, rounds)
			return err
		})
		return ns, err
	}
	waking, err = measure()
	tired.Store(true)
	if err := errors.Join(err, baton.Give(last), <-woken); err != nil {
		return nil, nil, err
	}
	if alone, err = measure(); err != nil {
		return nil, nil, err
	}
	return waking, alone, baton.Free()
}

// falling is how long a thread is given to take the baton and fall asleep.
const falling = 100 * time.Microsecond

// wakings gives the baton again and again, each time to who sleeps again.
func wakings(b *sys.Baton, rounds int) ([]int64, error) {
	ns := make([]int64, rounds)
	pause := unix.NsecToTimespec(falling.Nanoseconds())
	for i := range ns {
		if err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &pause, nil); err != nil && err != unix.EINTR {
			return nil, err
		}
		start := sys.Nanotime()
		err := b.Give(goOn)
		ns[i] = sys.Nanotime() - start
		if err != nil {
			return nil, err
		}
	}
	return ns, nil
}
