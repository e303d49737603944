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

// policies maps policies to the numbers of sched(7).
var policies = map[Policy]uint32{
	PolicyOther: unix.SCHED_NORMAL,
	PolicyFIFO:  unix.SCHED_FIFO,
	PolicyRR:    unix.SCHED_RR,
}

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

// schedule sets policy and priority of the calling thread.
func schedule(p Policy, priority int) error {
	if p == "" {
		return nil
	}
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: policies[p], Priority: uint32(priority)}
	err := unix.SchedSetAttr(0, &attr, 0)
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("SCHED_%s priority %d refused: needs CAP_SYS_NICE or RLIMIT_RTPRIO >= %d: run as root, or 'sudo prlimit --rtprio=%d --pid $$' first; in a container or slice also a real-time budget (cpu.rt_runtime_us)",
			schedNames[p], priority, priority, priority)
	}
	if err != nil {
		return fmt.Errorf("SCHED_%s priority %d: %w", schedNames[p], priority, err)
	}
	return nil
}

var schedNames = map[Policy]string{PolicyOther: "OTHER", PolicyFIFO: "FIFO", PolicyRR: "RR"}

// readBack fills in what the kernel says of the calling thread.
func readBack(e *Effective) error {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return fmt.Errorf("read scheduling policy back: %w", err)
	}
	e.Policy, e.Priority = Policy("policy-"+strconv.Itoa(int(attr.Policy))), int(attr.Priority)
	for p, n := range policies {
		if n == attr.Policy {
			e.Policy = p
		}
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return fmt.Errorf("read affinity back: %w", err)
	}
	e.CPUs = cpusOf(&set)
	return nil
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
