// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ParseCPUs reads a list of CPUs in the kernel's format, as 0,2-3, and returns
// them in ascending order.
func ParseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err1 := strconv.ParseUint(low, 10, 16)
		last, err2 := strconv.ParseUint(high, 10, 16)
		if err := errors.Join(err1, err2); err != nil || first > last {
			return nil, fmt.Errorf("CPU list %q: use numbers from 0 and ranges, as 0,2-3", list)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, int(cpu))
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// isolatedCPUs returns the CPUs of the boot parameter isolcpus.
func isolatedCPUs() []int {
	b, err := os.ReadFile("/sys/devices/system/cpu/isolated")
	if err != nil {
		return nil
	}
	cpus, _ := ParseCPUs(strings.TrimSpace(string(b))) // an empty list is an error, and no CPU
	return cpus
}

// away returns where a thread that may run on the CPUs of set goes to leave
// cpus alone: to the others that are not isolated, else to the others, else
// nowhere: then ok is false.
func away(set unix.CPUSet, cpus, isolated []int) (rest unix.CPUSet, ok bool) {
	rest = set
	for _, cpu := range cpus {
		rest.Clear(cpu)
	}
	if rest.Count() == 0 {
		return set, false
	}
	shared := rest
	for _, cpu := range isolated {
		shared.Clear(cpu)
	}
	if shared.Count() > 0 {
		rest = shared
	}
	return rest, rest != set
}

// keepOff moves the threads of this process, but for those excepted, away from
// CPUs, where they may run elsewhere. Threads that start later inherit that
// from the one that starts them, which is never a receiving one: the runtime
// starts threads from a thread of its own when a locked one asks for them. The
// returned function gives all of them back what they had.
func keepOff(cpus []int, except ...int) (restore func()) {
	isolated := isolatedCPUs()
	before := map[int]unix.CPUSet{}        // of the threads that are there now
	widen := map[unix.CPUSet]unix.CPUSet{} // for those that start later
	untilStill(except, func(tid, pass int) bool {
		active, err := affinity(tid)
		if err != nil {
			return false // it has ended
		}
		rest, ok := away(active, cpus, isolated)
		if _, known := before[tid]; !known && (ok || pass == 0) {
			before[tid] = allowed(tid, active)
		}
		if !ok {
			return false
		}
		widen[rest] = before[tid]
		return unix.SchedSetaffinity(tid, &rest) == nil
	})
	return func() {
		restored := map[int]bool{}
		untilStill(except, func(tid, _ int) bool {
			old, known := before[tid]
			if set, err := affinity(tid); !known && err == nil {
				old, known = widen[set]
			}
			again := !restored[tid] && known && unix.SchedSetaffinity(tid, &old) == nil
			restored[tid] = true
			return again
		})
	}
}

// untilStill calls move for all threads, but for those excepted, until it
// changes none any more: one that was started meanwhile may come from one that
// was not yet moved. The bound is for a cpuset that changes at the same time.
func untilStill(except []int, move func(tid, pass int) bool) {
	for pass, again := 0, true; again && pass < 10; pass++ {
		again = false
		for _, tid := range threads() {
			if !slices.Contains(except, tid) && move(tid, pass) {
				again = true
			}
		}
	}
}

// threads returns the numbers of this process's threads.
func threads() []int {
	var tids []int
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids
}

// affinity returns the CPUs on which a thread may run now.
func affinity(tid int) (set unix.CPUSet, err error) {
	err = unix.SchedGetaffinity(tid, &set)
	return set, err
}

// allowed returns the affinity that a thread was given, with CPUs that are
// offline; sched_getaffinity(2) leaves these out.
func allowed(tid int, otherwise unix.CPUSet) unix.CPUSet {
	b, err := os.ReadFile(filepath.Join("/proc/self/task", strconv.Itoa(tid), "status"))
	if err != nil {
		return otherwise
	}
	for line := range strings.Lines(string(b)) {
		list, ok := strings.CutPrefix(line, "Cpus_allowed_list:")
		if !ok {
			continue
		}
		cpus, err := ParseCPUs(strings.TrimSpace(list))
		if err != nil {
			break
		}
		var set unix.CPUSet
		for _, cpu := range cpus {
			set.Set(cpu)
		}
		return set
	}
	return otherwise
}
