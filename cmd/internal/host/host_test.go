// SPDX-License-Identifier: GPL-2.0-only

package host

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"

	"siglat/analysis/recording"
)

// machine is what a laptop with two CPUs shows.
var machine = map[string]string{
	"proc/sys/kernel/hostname":                                        "lathe\n",
	"proc/sys/kernel/osrelease":                                       "6.12.1-rt\n",
	"proc/sys/kernel/version":                                         "#1 SMP PREEMPT_RT Debian 6.12.1-1\n",
	"proc/cpuinfo":                                                    "processor\t: 0\nmodel name\t: Small\nflags\t\t: fpu sse\n\nprocessor\t: 1\nmodel name\t: Big\nflags\t\t: fpu sse\n\n",
	"proc/sys/kernel/sched_rt_runtime_us":                             "-1\n",
	"proc/self/timerslack_ns":                                         "50000\n",
	"proc/cmdline":                                                    "root=/dev/sda1 isolcpus=1\n",
	"sys/devices/system/cpu/online":                                   "0-1\n",
	"sys/devices/system/cpu/isolated":                                 "1\n",
	"sys/devices/system/cpu/nohz_full":                                "  (null)\n",
	"sys/devices/system/cpu/smt/control":                              "notsupported\n",
	"sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq":            "3400000\n",
	"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "performance\n",
	"sys/devices/system/cpu/cpu1/cpuidle/state0/name":                 "POLL\n",
	"sys/devices/system/cpu/cpu1/cpuidle/state0/disable":              "0\n",
	"sys/devices/system/cpu/cpu1/cpuidle/state1/name":                 "C1\n",
	"sys/devices/system/cpu/cpu1/cpuidle/state1/disable":              "1\n",
	"sys/devices/system/cpu/cpu1/cpuidle/state2/name":                 "C6\n",
	"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	"sys/module/siglat/srcversion":                                    "0123456789ABCDEF\n",
	"sys/class/dmi/id/sys_vendor":                                     "QEMU\n",
	"sys/class/dmi/id/product_name":                                   "Standard PC\n",
}

func fileSystem(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestRead(t *testing.T) {
	want := recording.Host{
		Hostname: "lathe", Kernel: "6.12.1-rt", KernelBuild: "#1 SMP PREEMPT_RT Debian 6.12.1-1", PreemptRT: true,
		CPUModel: "Big", CPUKHz: 3400000, CPUsOnline: "0-1", SMT: "notsupported", Governor: "performance",
		IdleStates: []string{"POLL", "C6"}, Clocksource: "tsc", Isolated: "1", RTRuntimeUS: -1,
		TimerSlackNS: 50000, Cmdline: "root=/dev/sda1 isolcpus=1", Module: "0123456789ABCDEF",
	}
	if got := Read(fileSystem(machine), 1); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestUnknownStaysEmpty(t *testing.T) {
	if got := Read(fstest.MapFS{}, -1); !reflect.DeepEqual(got, recording.Host{}) {
		t.Errorf("guessed: %+v", got)
	}
}

func TestVariants(t *testing.T) {
	guest := "processor: 0\nflags: fpu hypervisor\n"
	fixed := "processor: 0\ncpu MHz: 2893.437\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		ok    func(recording.Host) bool
	}{
		{"guest", map[string]string{"proc/cpuinfo": guest}, func(h recording.Host) bool { return h.Hypervisor == "QEMU Standard PC" }},
		{"xen", map[string]string{"sys/hypervisor/type": "xen"}, func(h recording.Host) bool { return h.Hypervisor == "xen" }},
		{"stock", map[string]string{"proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC"}, func(h recording.Host) bool { return !h.PreemptRT }},
		{"old RT", map[string]string{"proc/sys/kernel/version": "#1 SMP", "sys/kernel/realtime": "1"}, func(h recording.Host) bool { return h.PreemptRT }},
		{"unnamed guest", map[string]string{"proc/cpuinfo": guest, "sys/class/dmi/id/sys_vendor": "", "sys/class/dmi/id/product_name": ""}, func(h recording.Host) bool { return h.Hypervisor == "unknown hypervisor" }},
		{"highest frequency", map[string]string{"proc/cpuinfo": fixed, "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "3400000", "sys/devices/system/cpu/cpu0/cpufreq/base_frequency": "2100000"}, func(h recording.Host) bool { return h.CPUKHz == 3400000 }},
		{"base frequency", map[string]string{"proc/cpuinfo": fixed, "sys/devices/system/cpu/cpu0/cpufreq/base_frequency": "2100000"}, func(h recording.Host) bool { return h.CPUKHz == 2100000 }},
		{"only frequency", map[string]string{"proc/cpuinfo": fixed}, func(h recording.Host) bool { return h.CPUKHz == 2893437 }},
		{"no frequency", map[string]string{"proc/cpuinfo": "processor: 0\ncpu MHz: NaN\n"}, func(h recording.Host) bool { return h.CPUKHz == 0 }},
		{"versioned", map[string]string{"sys/module/siglat/srcversion": "", "sys/module/siglat/version": "2"}, func(h recording.Host) bool { return h.Module == "2" }},
	} {
		files := maps.Clone(machine)
		maps.Copy(files, c.files)
		if got := Read(fileSystem(files), 0); !c.ok(got) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestHereReadsThisMachine(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	h, err := Here(-1)
	if err != nil || h.Hostname != name || h.Kernel == "" || h.Arch == "" {
		t.Errorf("%+v, %v", h, err)
	}
	t.Setenv(LabVariable, `["clock"]`)
	if _, err := Here(-1); err == nil {
		t.Error("malformed facts about the lab accepted")
	}
}

func TestListed(t *testing.T) {
	for list, want := range map[string][]int{
		"": nil, "0": {0}, "0-2": {0, 1, 2}, "1,3-4": {1, 3, 4}, "63-64,127": {63, 64, 127}, "0-": nil, "x,2": {2},
	} {
		var got []int
		for cpu := range 200 {
			if Listed(list, cpu) {
				got = append(got, cpu)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", list, got, want)
		}
	}
	if !Listed(Online(), runningOn(t)) {
		t.Errorf("the CPU of this test is not in %q", Online())
	}
}

// runningOn returns the lowest CPU that this process may run on.
func runningOn(t *testing.T) int {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	for cpu := range 1024 {
		if set.IsSet(cpu) {
			return cpu
		}
	}
	t.Fatal("no CPU")
	return 0
}

func TestLab(t *testing.T) {
	for value, clock := range map[string]string{
		"": ClockReal, `{"clock":"real"}`: ClockReal, `{"clock":"virtual","qemu":"7.2"}`: ClockVirtual,
	} {
		lab, err := Lab(value)
		if err != nil || Clock(lab) != clock {
			t.Errorf("%s: %v, %v", value, lab, err)
		}
	}
	if _, err := Lab("{"); err == nil {
		t.Error("broken JSON accepted")
	}
}
