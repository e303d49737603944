// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// thread runs f on a thread of its own, which ends with it: mask, affinity and
// policy that f changes end there, too. The process's first thread does not end
// before the process, so that it is not taken.
func thread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f() // never unlocked
			return
		}
		started := make(chan struct{})
		thread(func() {
			close(started)
			f()
		})
		<-started
		runtime.UnlockOSThread()
	}()
}

// pin restricts the calling thread to one CPU.
func pin(cpu int) error {
	if cpu == AnyCPU {
		return nil
	}
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		if errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("CPU %d: not online, or not in this process's cpuset (online: %s)", cpu, onlineCPUs())
		}
		return fmt.Errorf("pin to CPU %d: %w", cpu, err)
	}
	return nil
}

// onlineCPUs returns the kernel's list of online CPUs, "?" if unknown.
func onlineCPUs() string {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return "?"
	}
	return string(b[:max(len(b)-1, 0)])
}

func cpusOf(set *unix.CPUSet) []int {
	var cpus []int
	for cpu := range len(set) * strconv.IntSize {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
