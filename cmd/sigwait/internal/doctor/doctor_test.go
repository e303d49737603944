// SPDX-License-Identifier: GPL-2.0-only

package doctor

import (
	"io/fs"
	"maps"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	unlimited = Limits{RTPriority: 99, PendingSignals: math.MaxUint64, LockedBytes: math.MaxUint64}
	ordinary  = Limits{PendingSignals: 31000, LockedBytes: 8 << 20}
)

// A fixture is a host with what its checks find.
type fixture struct {
	files  map[string]string
	device error
	limits Limits
	want   map[string]Level
}

const cpu1 = "sys/devices/system/cpu/cpu1/"

// hosts are a server made for real time and what differs on others.
var server = fixture{
	files: map[string]string{
		"proc/sys/kernel/osrelease": "6.12.1-rt-amd64", "proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian",
		"proc/sys/kernel/sched_rt_runtime_us": "-1", "proc/sys/kernel/sched_autogroup_enabled": "0",
		"proc/self/timerslack_ns": "1", "proc/cpuinfo": "processor: 1\nflags: fpu\n",
		"sys/devices/system/cpu/online": "0-1", "sys/devices/system/cpu/isolated": "1",
		cpu1 + "cpufreq/scaling_governor": "performance", cpu1 + "topology/thread_siblings_list": "1",
		cpu1 + "cpuidle/state0/name": "POLL", cpu1 + "cpuidle/state0/latency": "0",
		cpu1 + "cpuidle/state1/name": "C6", cpu1 + "cpuidle/state1/latency": "133", cpu1 + "cpuidle/state1/disable": "1",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "always madvise [never]",
		"proc/irq/9/smp_affinity_list":                                    "0", "proc/irq/9/acpi/x": "",
		"proc/irq/10/smp_affinity_list": "0-1", // used by nobody
	},
	limits: unlimited,
	want:   map[string]Level{},
}

var laptop = fixture{
	files: map[string]string{
		"proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Debian", "proc/sys/kernel/osrelease": "6.12.1-amd64",
		"proc/sys/kernel/sched_rt_runtime_us": "950000", "proc/sys/kernel/sched_autogroup_enabled": "1",
		"proc/self/timerslack_ns": "50000", "sys/devices/system/cpu/isolated": "",
		cpu1 + "cpufreq/scaling_governor": "powersave", cpu1 + "topology/thread_siblings_list": "0-1",
		cpu1 + "cpuidle/state1/disable":                                   "0",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "[always] madvise never",
		"proc/irq/9/smp_affinity_list":                                    "0-1",
		secureBootFile:                                                    "\x06\x00\x00\x00\x01",
	},
	device: fs.ErrNotExist,
	limits: ordinary,
	want: map[string]Level{
		"module": Bad, "Secure Boot": Note, "kernel": Note, "clock source": Bad, "governor": Bad, "idle states": Bad,
		"SMT sibling": Note, "isolation": Note, "interrupts": Note, "RT throttling": Note, "RLIMIT_RTPRIO": Bad,
		"RLIMIT_MEMLOCK": Note, "timer slack": Note, "autogroup": Note, "huge pages": Note,
	},
}

var guest = fixture{
	files: map[string]string{
		"proc/cpuinfo":                       "processor: 1\nflags: fpu hypervisor\n",
		"sys/class/dmi/id/sys_vendor":        "QEMU",
		cpu1 + "cpufreq/scaling_governor":    "",
		cpu1 + "cpuidle/state0/name":         "",
		"proc/irq/9/smp_affinity_list":       "",
		"proc/irq/9/effective_affinity_list": "1",
	},
	device: fs.ErrPermission,
	limits: Limits{Nice: true, IPCLock: true},
	want:   map[string]Level{"module": Bad, "hypervisor": Bad, "governor": Unknown, "idle states": Unknown, "interrupts": Note, "RLIMIT_SIGPENDING": Note},
}

func TestExamine(t *testing.T) {
	for name, f := range map[string]fixture{"server": server, "laptop": laptop, "guest": guest} {
		files := maps.Clone(server.files)
		maps.Copy(files, f.files)
		root := fstest.MapFS{}
		for path, text := range files {
			root[path] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
		found := Examine(Host{Root: root, CPU: 1, Device: f.device, Limits: f.limits})
		if len(found) != len(checks) {
			t.Fatalf("%s: %d findings of %d checks", name, len(found), len(checks))
		}
		worst := Good
		for _, got := range found {
			want := f.want[got.Check]
			if want == "" {
				want = Good
			}
			if got.Level != want || got.State == "" {
				t.Errorf("%s: %+v, want %s", name, got, want)
			}
			if harmful := want == Note || want == Bad; harmful != (got.Effect != "") || harmful != (got.Remedy != "") {
				t.Errorf("%s: %+v", name, got)
			}
			if want == Bad {
				worst = Bad
			}
		}
		if Worst(found) != worst {
			t.Errorf("%s: worst is %s, want %s", name, Worst(found), worst)
		}
	}
}

// TestSilentHost: what a host does not tell is not known, neither good nor bad.
func TestSilentHost(t *testing.T) {
	for _, f := range Examine(Host{Root: fstest.MapFS{}, CPU: 1, Limits: unlimited}) {
		switch f.Check {
		case "module", "Secure Boot", "hypervisor", "isolation":
		default:
			if f.Level != Unknown && !strings.HasPrefix(f.Check, "RLIMIT") {
				t.Errorf("%+v", f)
			}
		}
	}
}

func TestInterruptsNamed(t *testing.T) {
	root := fstest.MapFS{}
	for _, n := range []string{"9", "10", "101"} {
		root["proc/irq/"+n+"/smp_affinity_list"] = &fstest.MapFile{Data: []byte("0-3\n")}
		root["proc/irq/"+n+"/dev/x"] = &fstest.MapFile{}
	}
	f := interrupts(&Host{Root: root, CPU: 2})
	if f.State != "3 of devices come to CPU 2 (9, 10, 101)" {
		t.Error(f.State)
	}
}
