// SPDX-License-Identifier: GPL-2.0-only

package house

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// untuned is a host with something to do for each item of tune-host.sh.
var untuned = map[string]string{
	"sys/devices/system/cpu/online":                        "0-2",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
	"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance",
	"sys/devices/system/cpu/cpu0/cpuidle/state0/latency":   "2",
	"sys/devices/system/cpu/cpu0/cpuidle/state0/disable":   "0",
	"sys/devices/system/cpu/cpu0/cpuidle/state1/latency":   "133",
	"sys/devices/system/cpu/cpu0/cpuidle/state1/disable":   "0",
	"sys/devices/system/cpu/smt/control":                   "on",
	"proc/irq/7/smp_affinity_list":                         "0-1",
	"proc/irq/8/smp_affinity_list":                         "2",
	"proc/sys/kernel/sched_rt_runtime_us":                  "950000",
	"proc/sys/kernel/sched_autogroup_enabled":              "1",
	"sys/kernel/mm/transparent_hugepage/enabled":           "[always] madvise never",
}

var tuned = map[string]string{
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
	"sys/devices/system/cpu/cpu0/cpuidle/state1/disable":   "1",
	"sys/devices/system/cpu/smt/control":                   "off",
	"proc/irq/7/smp_affinity_list":                         "0,2",
	"proc/sys/kernel/sched_rt_runtime_us":                  "-1",
	"proc/sys/kernel/sched_autogroup_enabled":              "0",
	"sys/kernel/mm/transparent_hugepage/enabled":           "madvise",
}

// A tunedHost is a tree of files on which tune-host.sh works.
type tunedHost struct {
	t   *testing.T
	dir string
}

func (h tunedHost) run(code int, args ...string) string {
	h.t.Helper()
	script, err := filepath.Abs(filepath.Join(root, "scripts/tune-host.sh"))
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.Command(script, args...)
	cmd.Env = append(os.Environ(), "TUNE_ROOT="+h.dir, "TUNE_STATE="+filepath.Join(h.dir, "state"))
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		h.t.Errorf("%q: exit status %d, want %d: %s", args, got, code, out)
	}
	return string(out)
}

func (h tunedHost) put(path, text string) {
	h.t.Helper()
	path = filepath.Join(h.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// check wants the files of untuned with the changes.
func (h tunedHost) check(when string, changes map[string]string) {
	h.t.Helper()
	want := maps.Clone(untuned)
	maps.Copy(want, changes)
	for path, text := range want {
		b, err := os.ReadFile(filepath.Join(h.dir, path))
		if err != nil || strings.TrimSpace(string(b)) != text {
			h.t.Errorf("%s: %s holds %q, %v; want %q", when, path, b, err, text)
		}
	}
}

func newTunedHost(t *testing.T) tunedHost {
	h := tunedHost{t, t.TempDir()}
	for path, text := range untuned {
		h.put(path, text)
	}
	return h
}

func TestTuneHost(t *testing.T) {
	h := newTunedHost(t)
	shown := h.run(0, "--cpu", "1", "show")
	h.check("show", nil)
	if n := strings.Count(shown, "->"); n != len(tuned) {
		t.Errorf("show tells of %d changes, want %d: %s", n, len(tuned), shown)
	}
	if applied := h.run(0, "--cpu", "1", "apply"); applied != shown {
		t.Errorf("apply did\n%s\nshow had said\n%s", applied, shown)
	}
	h.check("apply", tuned)
	if again := h.run(0, "--cpu", "1", "apply"); again != "" {
		t.Errorf("applied twice: %s", again)
	}
	h.run(0, "undo")
	// A file that is no kernel's keeps the word alone.
	h.check("undo", map[string]string{"sys/kernel/mm/transparent_hugepage/enabled": "always"})
	if out := h.run(0, "undo"); !strings.Contains(out, "nothing to undo") {
		t.Errorf("undone twice: %s", out)
	}
}

// TestTuneHostLeaves: what somebody else has set in the meantime stays, and
// only the items that were asked for change.
func TestTuneHostLeaves(t *testing.T) {
	h := newTunedHost(t)
	h.run(0, "apply", "throttling", "autogroup")
	h.check("apply", map[string]string{"proc/sys/kernel/sched_rt_runtime_us": "-1", "proc/sys/kernel/sched_autogroup_enabled": "0"})
	h.put("proc/sys/kernel/sched_rt_runtime_us", "900000")
	if out := h.run(0, "undo"); !strings.Contains(out, "left at 900000") {
		t.Errorf("undo: %s", out)
	}
	h.check("undo", map[string]string{"proc/sys/kernel/sched_rt_runtime_us": "900000"})
	for _, args := range [][]string{{}, {"apply", "nonsense"}, {"undo", "smt"}, {"--cpu", "x", "show"}} {
		h.run(2, args...)
	}
	h.check("wrong usage", map[string]string{"proc/sys/kernel/sched_rt_runtime_us": "900000"})
}

// TestTuneHostInterrupted: a script that was ended before it wrote its last
// line is undone all the same.
func TestTuneHostInterrupted(t *testing.T) {
	h := newTunedHost(t)
	file := "proc/sys/kernel/sched_autogroup_enabled"
	h.put("state", filepath.Join(h.dir, file)+"\t1\t")
	h.put(file, "0")
	h.run(0, "undo")
	h.check("undo", nil)
}
