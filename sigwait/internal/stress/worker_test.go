// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// Environment of a child process: what it plays, and its seed.
const (
	roleVariable = "SIGLAT_STRESS_ROLE"
	seedVariable = "SIGLAT_STRESS_SEED"
)

// Descriptors that a worker inherits.
const (
	tallyFD  = 3
	sharedFD = 4 // and the next one
)

const (
	threadsOfWorker = 3
	mostDevices     = 4
)

// A worker is one process: its threads share the devices, so that one closes
// what another one is using.
type worker struct {
	tally *tally
	end   time.Time
	mu    sync.Mutex
	fds   []int
}

// A thread is one of a worker's; it opens, so it gets signals.
type thread struct {
	*worker
	rng *rand.Rand
}

// work is main in a worker; it returns the exit code.
func work() int {
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		return complain(err)
	}
	c, err := mapTally(os.NewFile(tallyFD, "tally"))
	if err != nil {
		return complain(err)
	}
	rng := newRand(seed)
	w := &worker{tally: c, end: time.Now().Add(time.Duration(rng.IntN(3000)) * time.Millisecond), fds: inherited()}
	failures := make(chan error, 64)
	for range threadsOfWorker {
		w.spawn(rng.Uint64(), failures)
	}
	// Threads may wait in a read that nothing ends: they go with the process.
	select {
	case err := <-failures:
		return complain(fmt.Errorf("worker with seed %d: %w", seed, err))
	case <-time.After(time.Until(w.end)):
		return 0
	}
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// inherited returns the devices that were open when this program was executed.
func inherited() []int {
	var fds []int
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if fd, bad := strconv.Atoi(e.Name()); err == nil && bad == nil && target == sys.DevicePath {
			fds = append(fds, fd)
		}
	}
	return fds
}

func (w *worker) spawn(seed uint64, failures chan<- error) {
	go func() {
		lockThread() // for good: the thread ends with the goroutine
		t := &thread{w, newRand(seed)}
		for {
			op := t.choose()
			w.tally.add(op, begun)
			err := operations[op].do(t)
			switch {
			case err == nil:
			case errors.Is(err, errThreadEnds):
				w.spawn(t.rng.Uint64(), failures)
				return
			case slices.ContainsFunc(operations[op].errors, func(e unix.Errno) bool { return errors.Is(err, e) }):
				w.tally.add(op, failed)
			default:
				failures <- fmt.Errorf("%s: %w", operations[op].name, err)
				return
			}
		}
	}()
}

// choose returns the index of an operation, likely ones more often.
func (t *thread) choose() int {
	total := 0
	for _, op := range operations {
		total += op.weight
	}
	n := t.rng.IntN(total)
	for i, op := range operations {
		if n -= op.weight; n < 0 {
			return i
		}
	}
	return 0
}

// device returns one of the open devices; with none open, one that is closed.
func (t *thread) device() sys.Device {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.fds) == 0 {
		return sys.Device{FD: 1 << 20}
	}
	return sys.Device{FD: t.fds[t.rng.IntN(len(t.fds))]}
}

// keep adds a device, or closes it when there are enough.
func (t *thread) keep(fd int) error {
	t.mu.Lock()
	if len(t.fds) < mostDevices {
		t.fds = append(t.fds, fd)
		fd = -1
	}
	t.mu.Unlock()
	if fd >= 0 {
		return unix.Close(fd)
	}
	return nil
}

// give takes a device out of the list; false if there is none.
func (t *thread) give() (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.fds) == 0 {
		return -1, false
	}
	i := t.rng.IntN(len(t.fds))
	fd := t.fds[i]
	t.fds = slices.Delete(t.fds, i, i+1)
	return fd, true
}

// nap sleeps less than the time given.
func (t *thread) nap(below time.Duration) { time.Sleep(time.Duration(t.rng.Int64N(int64(below)))) }
