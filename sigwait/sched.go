// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// policies maps policies to the numbers of sched(7).
var policies = map[Policy]uint32{
	PolicyOther:    unix.SCHED_NORMAL,
	PolicyFIFO:     unix.SCHED_FIFO,
	PolicyRR:       unix.SCHED_RR,
	PolicyDeadline: unix.SCHED_DEADLINE,
}

var schedNames = map[Policy]string{PolicyOther: "OTHER", PolicyFIFO: "FIFO", PolicyRR: "RR"}

// minRuntime is the shortest that the kernel takes, kernel/sched/deadline.c.
const minRuntime = 1024 * time.Nanosecond

// checkPolicy finds what no kernel would accept.
func (c *Config) checkPolicy() error {
	if _, ok := policies[c.Policy]; c.Policy != "" && !ok {
		return fmt.Errorf("policy %q: use other, fifo, rr or deadline", c.Policy)
	}
	if rt := c.Policy == PolicyFIFO || c.Policy == PolicyRR; rt != (c.Priority > 0) || c.Priority > maxPriority {
		return fmt.Errorf("priority %d: 1 to %d with fifo or rr, 0 otherwise", c.Priority, maxPriority)
	}
	d := c.Deadline
	if c.Policy != PolicyDeadline {
		if d != (Deadline{}) {
			return fmt.Errorf("deadline %v: needs the policy deadline", d)
		}
		return nil
	}
	if d.Runtime < minRuntime || d.Deadline < d.Runtime || d.Period < d.Deadline {
		return fmt.Errorf("deadline %v: wants runtime <= deadline <= period, the runtime at least %v", d, minRuntime)
	}
	return nil
}

// String returns RUNTIME:DEADLINE:PERIOD.
func (d Deadline) String() string { return fmt.Sprintf("%v:%v:%v", d.Runtime, d.Deadline, d.Period) }

// assume binds the calling thread to a CPU, sets its policy as configured and
// reads both back.
func assume(c *Config, cpu int, e *Effective) error {
	if err := pin(cpu); err != nil {
		return err
	}
	err := schedule(c.Policy, c.Priority)
	if c.Policy == PolicyDeadline {
		err = scheduleDeadline(c.Deadline)
	}
	if err != nil {
		return err
	}
	return readBack(e)
}

// schedule sets policy and priority of the calling thread.
func schedule(p Policy, priority int) error {
	if p == "" || p == PolicyDeadline {
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

// scheduleDeadline gives the calling thread the policy SCHED_DEADLINE.
func scheduleDeadline(d Deadline) error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_DEADLINE,
		Runtime: uint64(d.Runtime), Deadline: uint64(d.Deadline), Period: uint64(d.Period)}
	err := unix.SchedSetAttr(0, &attr, 0)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("SCHED_DEADLINE %v refused: the CPUs have no such share left (%.0f %% of one CPU; the limit for all is kernel.sched_rt_runtime_us): ask for less, or end other deadline threads", d, 100*float64(d.Runtime)/float64(d.Period))
	case errors.Is(err, unix.EPERM) && unix.Geteuid() == 0:
		return fmt.Errorf("SCHED_DEADLINE %v refused: the thread must be free to run on all CPUs of its scheduling domain: leave --cpu and taskset out, or bind by an exclusive cpuset (cpuset.cpus.partition); in a container it also needs CAP_SYS_NICE", d)
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("SCHED_DEADLINE %v refused: needs CAP_SYS_NICE, no rlimit grants it: run as root", d)
	case errors.Is(err, unix.EINVAL):
		return fmt.Errorf("SCHED_DEADLINE %v: not valid for this kernel: the period must lie between kernel.sched_deadline_period_min_us and _max_us (100 us to 4 s)", d)
	}
	return fmt.Errorf("SCHED_DEADLINE %v: %w", d, err)
}

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
	if e.Policy == PolicyDeadline {
		e.Deadline = Deadline{time.Duration(attr.Runtime), time.Duration(attr.Deadline), time.Duration(attr.Period)}
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return fmt.Errorf("read affinity back: %w", err)
	}
	e.CPUs = cpusOf(&set)
	return nil
}
