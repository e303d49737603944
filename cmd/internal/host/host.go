// SPDX-License-Identifier: GPL-2.0-only

// Package host reads the facts about a machine that decide its latency from
// /proc and /sys.
package host

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"siglat/analysis/recording"
)

// Here returns the facts of this machine as they concern one CPU; -1 stands
// for any and takes the first. What cannot be read is left empty. It fails
// when [LabVariable] is malformed, since the clock of all figures is then not
// known.
func Here(cpu int) (recording.Host, error) {
	h := Read(os.DirFS("/"), cpu)
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		h.Arch = unix.ByteSliceToString(u.Machine[:])
	}
	var err error
	h.Lab, err = Lab(os.Getenv(LabVariable))
	return h, err
}

// Read returns the facts that a file system rooted like / tells: all but
// Arch and Lab.
func Read(root fs.FS, cpu int) recording.Host {
	r := reader{root}
	cpu = max(cpu, 0)
	dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d", cpu)
	info := r.cpuinfo(cpu)
	h := recording.Host{
		Hostname:     r.text("proc/sys/kernel/hostname"),
		Kernel:       r.text("proc/sys/kernel/osrelease"),
		KernelBuild:  r.text("proc/sys/kernel/version"),
		CPUModel:     info["model name"],
		CPUKHz:       r.frequency(dir+"/cpufreq", info["cpu MHz"]),
		CPUsOnline:   r.text(onlineFile),
		SMT:          r.text("sys/devices/system/cpu/smt/control"),
		Governor:     r.text(dir + "/cpufreq/scaling_governor"),
		IdleStates:   r.idleStates(dir + "/cpuidle"),
		Clocksource:  r.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Isolated:     r.text("sys/devices/system/cpu/isolated"),
		NoHzFull:     r.text("sys/devices/system/cpu/nohz_full"),
		Hypervisor:   r.hypervisor(info["flags"]),
		RTRuntimeUS:  r.number("proc/sys/kernel/sched_rt_runtime_us"),
		TimerSlackNS: r.number("proc/self/timerslack_ns"),
		Cmdline:      r.text("proc/cmdline"),
		Module:       r.module("sys/module/siglat"),
	}
	h.PreemptRT = r.text("sys/kernel/realtime") == "1" || strings.Contains(h.KernelBuild, "PREEMPT_RT")
	return h
}

type reader struct{ fs.FS }

func (r reader) text(name string) string { return Text(r.FS, name) }

// Text returns the content of a file of root in one line; empty if it is not
// there or has none.
func Text(root fs.FS, name string) string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	s := strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
	if s == "(null)" { // so the kernel prints an empty list in places
		return ""
	}
	return s
}

func (r reader) number(name string) int64 {
	n, err := strconv.ParseInt(r.text(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// cpuinfo returns the lines of /proc/cpuinfo about one CPU.
func (r reader) cpuinfo(cpu int) map[string]string {
	for block := range strings.SplitSeq(r.text("proc/cpuinfo"), "\n\n") {
		lines := map[string]string{}
		for line := range strings.SplitSeq(block, "\n") {
			key, value, _ := strings.Cut(line, ":")
			lines[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
		if lines["processor"] == strconv.Itoa(cpu) {
			return lines
		}
	}
	return nil
}

// frequency returns the highest frequency of a CPU in kHz. Without cpufreq the
// one that /proc/cpuinfo shows does not change.
func (r reader) frequency(dir, mhz string) int64 {
	for _, name := range []string{"/cpuinfo_max_freq", "/base_frequency"} {
		if khz := r.number(dir + name); khz > 0 {
			return khz
		}
	}
	f, err := strconv.ParseFloat(mhz, 64)
	if err != nil || !(f > 0 && f < 1e6) {
		return 0
	}
	return int64(math.Round(f * 1000))
}

// idleStates returns the names of the idle states that are not disabled, in
// the kernel's order, from shallow to deep.
func (r reader) idleStates(dir string) []string {
	var names []string
	for i := 0; ; i++ {
		state := path.Join(dir, "state"+strconv.Itoa(i))
		name := r.text(state + "/name")
		if name == "" {
			return names
		}
		if r.text(state+"/disable") != "1" {
			names = append(names, name)
		}
	}
}

// hypervisor names what runs the machine: the CPU has the flag "hypervisor",
// and the firmware's tables say whose it is.
func (r reader) hypervisor(flags string) string {
	if t := r.text("sys/hypervisor/type"); t != "" {
		return t
	}
	if !strings.Contains(" "+flags+" ", " hypervisor ") {
		return ""
	}
	name := strings.TrimSpace(r.text("sys/class/dmi/id/sys_vendor") + " " + r.text("sys/class/dmi/id/product_name"))
	if name == "" {
		return "unknown hypervisor"
	}
	return name
}

// module tells which build of the module is loaded.
func (r reader) module(dir string) string {
	if v := r.text(dir + "/srcversion"); v != "" {
		return v
	}
	return r.text(dir + "/version")
}
