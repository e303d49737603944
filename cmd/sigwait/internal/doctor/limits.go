// SPDX-License-Identifier: GPL-2.0-only

package doctor

import (
	"fmt"
	"math"
	"strconv"
)

// What a run needs: setrlimit(2), mlockall(2), sched(7).
const (
	wantedPriority = 1
	wantedLocked   = 64 << 20
	wantedPending  = 1000
)

func rtPriority(h *Host) Finding {
	state := strconv.FormatUint(h.Limits.RTPriority, 10)
	if h.Limits.Nice {
		state = "not needed (CAP_SYS_NICE)"
	}
	return Finding{
		Level: when(h.Limits.Nice || h.Limits.RTPriority >= wantedPriority, Bad), State: state,
		Effect: "--fifo and --rr are refused: the receiver shares its CPU with every other task",
		Remedy: `echo "$USER - rtprio 95" | sudo tee -a /etc/security/limits.d/siglat.conf, then log in again`,
	}
}

func lockedMemory(h *Host) Finding {
	state := limit(h.Limits.LockedBytes, " bytes")
	if h.Limits.IPCLock {
		state = "not needed (CAP_IPC_LOCK)"
	}
	return Finding{
		Level: when(h.Limits.IPCLock || h.Limits.LockedBytes >= wantedLocked, Note), State: state,
		Effect: "the memory is not locked: a page fault may count as latency",
		Remedy: `echo "$USER - memlock unlimited" | sudo tee -a /etc/security/limits.d/siglat.conf, then log in again`,
	}
}

func pendingSignals(h *Host) Finding {
	return Finding{
		Level: when(h.Limits.PendingSignals >= wantedPending, Note), State: limit(h.Limits.PendingSignals, ""),
		Effect: "the kernel refuses signals once that many wait: a receiver that was held up loses them",
		Remedy: `echo "$USER - sigpending 127000" | sudo tee -a /etc/security/limits.d/siglat.conf, then log in again`,
	}
}

func limit(n uint64, unit string) string {
	if n == math.MaxUint64 {
		return "unlimited"
	}
	return strconv.FormatUint(n, 10) + unit
}

// throttling: sched(7), /proc/sys/kernel/sched_rt_runtime_us.
func throttling(h *Host) Finding {
	text := h.text("proc/sys/kernel/sched_rt_runtime_us")
	us := h.facts.RTRuntimeUS
	state := fmt.Sprintf("%d us of each second", us)
	if us < 0 {
		state = "off"
	}
	return Finding{
		Level: known(text, us < 0, Note), State: state,
		Effect: "a receiver that spins with SCHED_FIFO or SCHED_RR is held for the rest of each second",
		Remedy: "sudo scripts/tune-host.sh apply throttling (or: sudo sysctl kernel.sched_rt_runtime_us=-1)",
	}
}

// timerSlack: prctl(2), PR_SET_TIMERSLACK; it does not count under real-time
// policies.
func timerSlack(h *Host) Finding {
	ns := h.facts.TimerSlackNS
	state := ""
	if ns > 0 {
		state = fmt.Sprintf("%d ns", ns)
	}
	return Finding{
		Level: known(state, ns <= 1, Note), State: state,
		Effect: "sleeps of threads at ordinary priority (--source timer, user) end later by up to as much; signals of the module do not",
		Remedy: "sigwait --fifo 80: real-time threads have none",
	}
}

// autogroup: sched(7), the autogroup feature.
func autogroup(h *Host) Finding {
	text := h.text("proc/sys/kernel/sched_autogroup_enabled")
	return Finding{
		Level: known(text, text == "0", Note), State: map[string]string{"0": "off", "1": "on"}[text],
		Effect: "each session is a group of tasks: to wake up a task at ordinary priority takes longer",
		Remedy: "sudo scripts/tune-host.sh apply autogroup (or: sudo sysctl kernel.sched_autogroup_enabled=0)",
	}
}

// hugePages: Documentation/admin-guide/mm/transhuge.rst.
func hugePages(h *Host) Finding {
	state := chosen(h.text("sys/kernel/mm/transparent_hugepage/enabled"))
	return Finding{
		Level: known(state, state != "always", Note), State: state,
		Effect: "khugepaged moves the memory of running programs together, which stops them for a moment",
		Remedy: "sudo scripts/tune-host.sh apply thp (or: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled)",
	}
}
