// SPDX-License-Identifier: GPL-2.0-only

package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"siglat/cmd/internal/host"
)

// clocksource: the kernel falls back to one that is read over a bus where it
// finds the TSC unstable, Documentation/virt/kvm/x86/timekeeping.rst.
func clocksource(h *Host) Finding {
	c := h.facts.Clocksource
	return Finding{
		Level: known(c, c == "tsc" || c == "arch_sys_counter" || c == "kvm-clock", Bad), State: c,
		Effect: "each reading of the clock takes a microsecond or more, and system calls",
		Remedy: "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource; where the kernel refuses, boot with tsc=reliable",
	}
}

func governor(h *Host) Finding {
	return Finding{
		Level: known(h.facts.Governor, h.facts.Governor == "performance", Bad), State: h.facts.Governor,
		Effect: "latencies include changes of the frequency, and the time at the lowest one after each pause",
		Remedy: "sudo scripts/tune-host.sh apply governor (or: sudo cpupower frequency-set -g performance)",
	}
}

// deepUS is the wake-up time from which on an idle state is a deep one.
const deepUS = 10

// idleStates: cpuidle's states with their exit latency in us,
// Documentation/admin-guide/pm/cpuidle.rst.
func idleStates(h *Host) Finding {
	dir := h.onCPU("sys/devices/system/cpu/cpu%d/cpuidle")
	var names []string
	deepest := 0
	for i := 0; ; i++ {
		state := path.Join(dir, "state"+strconv.Itoa(i))
		name := h.text(state + "/name")
		if name == "" {
			break
		}
		if h.text(state+"/disable") == "1" {
			continue
		}
		us, _ := strconv.Atoi(h.text(state + "/latency"))
		deepest = max(deepest, us)
		names = append(names, fmt.Sprintf("%s %d us", name, us))
	}
	list := strings.Join(names, ", ")
	return Finding{
		Level: known(list, deepest < deepUS, Bad), State: list,
		Effect: fmt.Sprintf("a CPU that slept between two signals takes up to %d us to wake up", deepest),
		Remedy: "sigwait --dma-latency 0 for one run; sudo scripts/tune-host.sh apply idle",
	}
}

func sibling(h *Host) Finding {
	list := h.text(h.onCPU("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"))
	alone := list == strconv.Itoa(h.CPU)
	if alone {
		list = "none" // the list holds the CPU itself
	}
	return Finding{
		Level: known(list, alone, Note), State: list,
		Effect: "what runs on the sibling takes units of the core from the receiver",
		Remedy: "sudo scripts/tune-host.sh apply smt (or: echo off | sudo tee /sys/devices/system/cpu/smt/control)",
	}
}

func hypervisor(h *Host) Finding {
	state := h.facts.Hypervisor
	if state == "" {
		return Finding{Level: Good, State: "none"}
	}
	return Finding{
		Level: Bad, State: state,
		Effect: "the host may stop the whole machine at any time, and its interrupts take longer",
		Remedy: "measure on the machine itself; or give the guest CPUs of its own (vCPU pinning)",
	}
}

// preemption: a release string or version names the model,
// kernel/sched/core.c.
func preemption(h *Host) Finding {
	build := h.facts.KernelBuild
	state := h.facts.Kernel
	switch {
	case h.facts.PreemptRT:
		state += ", PREEMPT_RT"
	case strings.Contains(build, "PREEMPT_DYNAMIC"):
		state += ", PREEMPT_DYNAMIC"
	case strings.Contains(build, "PREEMPT"):
		state += ", PREEMPT"
	}
	return Finding{
		Level: known(build, h.facts.PreemptRT, Note), State: state,
		Effect: "sections of the kernel that cannot be preempted bound the worst latency, not the priority of the receiver",
		Remedy: "sudo apt-get install linux-image-rt-" + architecture(h) + "; without it, boot with preempt=full",
	}
}

func architecture(h *Host) string {
	if strings.Contains(h.facts.Kernel, "arm64") || strings.Contains(h.facts.Kernel, "aarch64") {
		return "arm64"
	}
	return "amd64"
}

// isolation: Documentation/admin-guide/kernel-parameters.txt, isolcpus= and
// nohz_full=.
func isolation(h *Host) Finding {
	isolated, full := h.facts.Isolated, h.facts.NoHzFull
	cpu := max(h.CPU, 0)
	state := fmt.Sprintf("isolcpus=%s nohz_full=%s", isolated, full)
	if isolated == "" && full == "" {
		state = "none"
	}
	return Finding{
		Level: when(host.Listed(isolated, cpu), Note), State: state,
		Effect: fmt.Sprintf("the scheduler places other tasks on CPU %d, and the tick interrupts it", cpu),
		Remedy: fmt.Sprintf("boot with isolcpus=managed_irq,domain,%d nohz_full=%d rcu_nocbs=%d, or use a cpuset partition", cpu, cpu, cpu),
	}
}

// interrupts: those of devices that may come to the CPU,
// Documentation/core-api/irq/irq-affinity.rst.
func interrupts(h *Host) Finding {
	cpu := max(h.CPU, 0)
	dirs, err := fs.Glob(h.Root, "proc/irq/[0-9]*")
	if err != nil || len(dirs) == 0 {
		return Finding{Level: Unknown}
	}
	var here []string
	for _, dir := range dirs {
		list := h.text(dir + "/effective_affinity_list")
		if list == "" {
			list = h.text(dir + "/smp_affinity_list")
		}
		if hasHandler(h.Root, dir) && host.Listed(list, cpu) {
			here = append(here, path.Base(dir))
		}
	}
	slices.SortFunc(here, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	state := fmt.Sprintf("%d of devices come to CPU %d", len(here), cpu)
	if len(here) > 0 && len(here) <= 12 {
		state += " (" + strings.Join(here, ", ") + ")"
	}
	return Finding{
		Level: when(len(here) == 0, Note), State: state,
		Effect: "an interrupt between timer and receiver adds its whole handler to the latency",
		Remedy: fmt.Sprintf("sudo scripts/tune-host.sh --cpu %d apply irqs; stop irqbalance", cpu),
	}
}

// hasHandler tells whether a device uses an interrupt: each has a directory
// below that of the interrupt.
func hasHandler(root fs.FS, dir string) bool {
	entries, err := fs.ReadDir(root, dir)
	return err == nil && slices.ContainsFunc(entries, fs.DirEntry.IsDir)
}

func module(h *Host) Finding {
	f := Finding{Level: Good, State: "loaded", Effect: "signals come from a thread of sigwait's own (--source user), not from the kernel"}
	switch {
	case h.Device == nil:
	case errors.Is(h.Device, fs.ErrPermission):
		f.Level, f.State = Bad, "loaded, but its device may not be opened"
		f.Remedy = "sudo usermod -aG siglat $USER, then log in again (or run sigwait by sudo)"
	default:
		f.Level, f.State = Bad, "not loaded"
		f.Remedy = "sudo modprobe siglat (after make install; without it: make kmod && sudo insmod kmod/siglat.ko)"
	}
	return f
}

// secureBootFile is the variable of UEFI 2.10, section 3.3, after four bytes
// of attributes.
const secureBootFile = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

func secureBoot(h *Host) Finding {
	b, err := fs.ReadFile(h.Root, secureBootFile)
	if err != nil || len(b) < 5 || b[4] != 1 {
		return Finding{Level: Good, State: "off"}
	}
	f := Finding{
		Level: Note, State: "on",
		Effect: "the kernel loads the module only with a signature by a key that the machine knows",
		Remedy: "sudo mokutil --import /var/lib/dkms/mok.pub, then reboot and enrol the key",
	}
	f.Level = when(h.Device == nil, Note)
	return f
}
