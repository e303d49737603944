// SPDX-License-Identifier: GPL-2.0-only

package host

import (
	"maps"
	"os"
	"reflect"
	"testing"
	"testing/fstest"

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
	for _, c := range []struct {
		name  string
		files map[string]string
		ok    func(recording.Host) bool
	}{
		{"guest", map[string]string{"proc/cpuinfo": guest}, func(h recording.Host) bool { return h.Hypervisor == "QEMU Standard PC" }},
		{"xen", map[string]string{"sys/hypervisor/type": "xen"}, func(h recording.Host) bool { return h.Hypervisor == "xen" }},
		{"stock", map[string]string{"proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC"}, func(h recording.Host) bool { return !h.PreemptRT }},
		{"old RT", map[string]string{"proc/sys/kernel/version": "#1 SMP", "sys/kernel/realtime": "1"}, func(h recording.Host) bool { return h.PreemptRT }},
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
	h := Here(-1)
	if h.Hostname != name || h.Kernel == "" || h.Arch == "" {
		t.Errorf("%+v", h)
	}
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
