// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// A Gap is a time in which a spinning thread did not run, in ns of
// CLOCK_MONOTONIC: from the last reading before it to the first one after it,
// less half of what a reading takes, since it may come at any moment of one.
type Gap struct{ FromNS, ToNS int64 }

// maxGaps is the most that are kept: a timer interrupt each millisecond leaves
// one, and others have their own.
const maxGaps = 1 << 16

// Spin reads the clock on a CPU as often as it can, on a thread of its own with
// a priority of SCHED_FIFO (0: SCHED_OTHER), and returns the gaps, those that
// are much longer than a reading. It begins after delay and blocks for both
// spans. At a real-time priority nothing else runs on the CPU meanwhile.
func Spin(cpu, priority int, delay, span time.Duration) ([]Gap, error) {
	gaps := make([]Gap, 0, maxGaps)
	err := <-onThread(cpu, priority, func() error {
		pause := unix.NsecToTimespec(delay.Nanoseconds())
		if err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &pause, nil); err != nil && err != unix.EINTR {
			return err
		}
		gaps = spin(gaps, span)
		return nil
	})
	return gaps, err
}

func spin(gaps []Gap, span time.Duration) []Gap {
	usual := make([]int64, 999)
	last := sys.Nanotime()
	for i := range usual {
		now := sys.Nanotime()
		usual[i], last = now-last, now
	}
	slices.Sort(usual)
	step := usual[len(usual)/2]
	least := 4 * max(step, 10)
	for end := last + span.Nanoseconds(); last < end && len(gaps) < cap(gaps); {
		now := sys.Nanotime()
		if now-last >= least {
			gaps = append(gaps, Gap{last, now - step/2})
		}
		last = now
	}
	return gaps
}

// CPUs returns those on which this process may run, in ascending order.
func CPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	var list []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list, nil
}
