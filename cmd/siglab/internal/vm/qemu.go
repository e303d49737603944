// SPDX-License-Identifier: GPL-2.0-only

// Package vm boots a kernel in QEMU and follows it: the frames of its second
// serial port, the messages of its kernel, and whether it still makes progress.
package vm

import (
	"os"
	"strconv"
	"strings"
)

// Clock of a guest.
const (
	Virtual = "virtual" // one instruction is one nanosecond; runs repeat exactly
	Real    = "real"    // the host's time
)

// cpuModel names every feature that the guest sees, so that QEMU 7.2 and its
// successors show the same processor: what QEMU 7.2 emulates of x86-64-v3
// and of what the kernel's entry and context switch use. No rdrand and
// rdseed: they are the host's chance. Family 6 of AMD has none of the
// processor errata for which the kernel patches its entry code.
const cpuModel = "qemu64-v1,family=6,model=6,stepping=3,-svm,-vme," +
	"+ssse3,+sse4.1,+sse4.2,+popcnt,+abm,+movbe,+bmi1,+bmi2,+aes,+pclmulqdq," +
	"+xsave,+xsaveopt,+avx,+avx2,+fma,+f16c,+fsgsbase,+erms,+smep,+smap,+rdtscp," +
	"-rdrand,-rdseed"

// commandLine makes boots repeatable and ends the machine with its kernel.
const commandLine = "console=ttyS0,115200 8250.nr_uarts=2 panic=-1 oops=panic " +
	"nokaslr norandmaps random.trust_cpu=off random.trust_bootloader=off tsc=reliable"

// sparedWork skips self-tests and waits at boot that no run depends on.
const sparedWork = " no_timer_check cpu_init_udelay=0 cryptomgr.notests" +
	" initcall_blacklist=load_system_certificate_list,jent_mod_init,ksm_init"

// fairShare makes SCHED_OTHER threads of all programs compete as equals: the
// command is a session of its own, which autogroup would weigh as one.
const fairShare = " noautogroup"

// virtualTSC is the frequency that -icount shift=0 gives; known, it need not
// be measured in a loop.
const virtualTSC = " tsc_early_khz=1000000"

// A Machine is what to boot. All paths are the host's.
type Machine struct {
	Emulator   Emulator
	Image      string
	Initramfs  string
	Console    string // file for the kernel's messages
	Channel    string // file for the frames
	Clock      string
	CPUs       int
	Sockets    bool // a package for each CPU: kernels without ACPI find no other ones
	MemoryMB   int
	KernelArgs string // more boot parameters of the kernel
}

// Accelerator returns what runs the guest's code: "tcg" or, in real time
// where the host allows it, "kvm".
func Accelerator(clock string) string {
	if clock == Real {
		if f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0); err == nil {
			f.Close()
			return "kvm"
		}
	}
	return "tcg"
}

// CPU returns the processor model of a guest as QEMU's -cpu takes it.
func CPU(clock string) string {
	if Accelerator(clock) == "kvm" {
		return "host"
	}
	return cpuModel
}

// Args returns QEMU's arguments for the machine.
func (m Machine) Args() []string {
	smp := strconv.Itoa(m.CPUs)
	if m.Sockets {
		smp += ",sockets=" + smp + ",cores=1,threads=1"
	}
	args := []string{
		"-no-user-config", "-nodefaults", "-display", "none", "-no-reboot",
		"-machine", "pc-i440fx-7.2", "-seed", "1",
		"-cpu", CPU(m.Clock), "-smp", smp, "-m", strconv.Itoa(m.MemoryMB),
		"-kernel", m.Image, "-initrd", m.Initramfs,
		"-chardev", "file,id=console,path=" + escape(m.Console), "-serial", "chardev:console",
		"-chardev", "file,id=channel,path=" + escape(m.Channel), "-serial", "chardev:channel",
	}
	for _, dir := range m.Emulator.Data {
		args = append(args, "-L", dir)
	}
	cmdline := commandLine + sparedWork + fairShare
	switch {
	case m.Clock == Virtual:
		args = append(args, "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off",
			"-rtc", "base=2025-01-01T00:00:00,clock=vm")
		cmdline += virtualTSC
	case Accelerator(m.Clock) == "kvm":
		args = append(args, "-accel", "kvm")
	default:
		args = append(args, "-accel", "tcg,thread=multi")
	}
	if m.KernelArgs != "" {
		cmdline += " " + m.KernelArgs
	}
	return append(args, "-append", cmdline)
}

// escape doubles the commas of a path, which end a value of QEMU's options.
func escape(path string) string { return strings.ReplaceAll(path, ",", ",,") }
