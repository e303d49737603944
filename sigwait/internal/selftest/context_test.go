// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// A combination of mode and context, and the context that it means.
type combination struct{ mode, context, effective uint32 }

func (c combination) String() string { return fmt.Sprintf("mode%d/context%d", c.mode, c.context) }

// combinations are all that this kernel takes.
func combinations(t *testing.T) []combination {
	user := []combination{
		{sys.ModeUser, sys.ContextAuto, sys.ContextSoftIRQ},
		{sys.ModeUser, sys.ContextHardIRQ, sys.ContextHardIRQ},
	}
	if preemptRT(t) {
		user = []combination{{sys.ModeUser, sys.ContextAuto, sys.ContextThread}}
	}
	return append(user, []combination{
		{sys.ModeUser, sys.ContextSoftIRQ, sys.ContextSoftIRQ},
		{sys.ModeUser, sys.ContextThread, sys.ContextThread},
		{sys.ModeKthread, sys.ContextAuto, sys.ContextHardIRQ},
		{sys.ModeKthread, sys.ContextSoftIRQ, sys.ContextSoftIRQ},
		{sys.ModeKthread, sys.ContextHardIRQ, sys.ContextHardIRQ},
		{sys.ModeIRQ, sys.ContextAuto, sys.ContextHardIRQ},
		{sys.ModeIRQ, sys.ContextSoftIRQ, sys.ContextSoftIRQ},
		{sys.ModeIRQ, sys.ContextHardIRQ, sys.ContextHardIRQ},
	}...)
}

func TestModesAndContexts(t *testing.T) {
	for _, k := range combinations(t) {
		for cpu := range int32(2) {
			t.Run(fmt.Sprintf("%v/cpu%d", k, cpu), func(t *testing.T) {
				r := receive(t)
				c := sys.Config{Flags: sys.FlagEvents, Mode: k.mode, Context: k.context, Clock: 1, PeriodNS: 2 * ms, Count: 40, CPU: cpu}
				d := started(t, c)
				if st := stats(t, d); st.Context != k.effective {
					t.Errorf("effective context %d; want %d", st.Context, k.effective)
				}
				events := readAll(t, d, 64)
				if len(events) != 40 {
					t.Errorf("%d events; want 40", len(events))
				}
				checkEvents(t, events, 0, c)
				sent := uint64(0)
				if c.Mode == sys.ModeUser {
					sent = 40
				}
				if n := len(r.drain()); uint64(n) != sent {
					t.Errorf("%d signals; want %d", n, sent)
				}
				if st := stats(t, d); st.Expired != 40 || st.Sent != sent || st.Refused != 0 || st.CPU != cpu || st.State != sys.StateDone {
					t.Errorf("statistics %+v", st)
				}
				for i, e := range events {
					same := e.FiredNS == e.SentNS && e.SentNS == e.DoneNS
					if same != (c.Mode == sys.ModeIRQ) {
						t.Fatalf("event %d: %+v", i, e)
					}
				}
			})
		}
	}
}

// policy returns the SCHED_FIFO priority of the module's one thread and the
// CPU it is bound to, from /proc/PID/stat (proc_pid_stat(5)).
func policy(t *testing.T) (priority, policy string, allowed string) {
	t.Helper()
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, name := range names {
		comm, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(comm), "siglat/") {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(name), "stat"))
		if err != nil {
			t.Fatal(err)
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(name), "status"))
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:\t")
		allowed, _, _ = strings.Cut(list, "\n")
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		return fields[40-3], fields[41-3], allowed
	}
	t.Fatal("no thread of the module")
	return
}

func TestThreadPolicy(t *testing.T) {
	receive(t)
	type row struct {
		mode, context, priority uint32
		want                    string
	}
	rows := []row{
		{sys.ModeUser, sys.ContextThread, 0, "80"}, // thread_priority
		{sys.ModeUser, sys.ContextThread, 1, "1"},
		{sys.ModeUser, sys.ContextThread, 99, "99"},
		{sys.ModeKthread, sys.ContextAuto, 42, "42"},
	}
	if features(t)&sys.FeaturePriority == 0 {
		rows = []row{
			{sys.ModeUser, sys.ContextThread, 0, "50"},
			{sys.ModeKthread, sys.ContextAuto, 50, "50"},
		}
	}
	for _, row := range rows {
		for cpu := range int32(2) {
			d := started(t, sys.Config{Mode: row.mode, Context: row.context, Priority: row.priority, Clock: 1, PeriodNS: 10 * ms, CPU: cpu})
			if n := threads(); n != 1 {
				t.Errorf("%d threads; want 1", n)
			}
			p, sched, allowed := policy(t)
			if p != row.want || sched != "1" || allowed != fmt.Sprint(cpu) {
				t.Errorf("%+v: priority %s, policy %s, CPUs %s; want %s, 1, %d", row, p, sched, allowed, row.want, cpu)
			}
			_ = d.Close()
			if err := leftovers(); err != nil {
				t.Error(err)
			}
		}
	}
}

// spin receives on CPU 1 at SCHED_FIFO 40, the timer's CPU, without leaving
// user space, and returns what the module served meanwhile.
func spin(t *testing.T, context uint32) uint64 {
	t.Helper()
	r := receive(t)
	var set unix.CPUSet
	set.Set(1)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	fifo := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 40}
	if err := unix.SchedSetAttr(0, &fifo, 0); err != nil {
		t.Fatal(err)
	}
	d := started(t, sys.Config{Context: context, Clock: 1, PeriodNS: 5 * ms, CPU: 1})
	for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); {
	}
	st := stats(t, d)
	other := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
	if err := unix.SchedSetAttr(0, &other, 0); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	r.drain()
	return st.Expired
}

// TestSpinnerIsServed: the default context reaches a receiver that spins with
// a real-time priority on the timer's CPU. On PREEMPT_RT the softirq context
// does not, which shows that the test would notice.
func TestSpinnerIsServed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would wait for the spinner
	served := map[uint32]uint64{}
	for _, context := range []uint32{sys.ContextAuto, sys.ContextThread, sys.ContextSoftIRQ} {
		t.Run(fmt.Sprint(context), func(t *testing.T) { served[context] = spin(t, context) })
	}
	t.Logf("served: %v of 80", served)
	// Stock kernels before 6.4 leave all softirqs to a ksoftirqd that has been
	// woken up, and the spinner keeps that from running for a while
	// (kernel/softirq.c, ksoftirqd_running).
	rt := preemptRT(t)
	if least := map[bool]uint64{true: 70, false: 40}[rt]; served[sys.ContextAuto] < least || served[sys.ContextThread] < 70 {
		t.Errorf("served %v; want nearly 80 in contexts auto and thread", served)
	}
	if rt != (served[sys.ContextSoftIRQ] < 40) {
		t.Errorf("served %v, PREEMPT_RT %v; want the softirq starved there and only there", served, rt)
	}
}
