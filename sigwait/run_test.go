// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func base() Config {
	return Config{Source: SourceUser, Receiver: "sigwait", CPU: AnyCPU, TimerCPU: AnyCPU,
		Period: time.Millisecond, Count: 200, Clock: ClockMonotonic, Context: ContextAuto}
}

// signalReceivers are those that work with any source.
func signalReceivers() []string {
	return slices.DeleteFunc(Receivers(), func(name string) bool { return name == "read" || name == "notify" })
}

// measure runs c and returns what came of it.
func measure(t *testing.T, ctx context.Context, c Config) ([]Sample, *Result) {
	t.Helper()
	var all []Sample
	calls := 0
	res, err := Run(ctx, c, func(Effective) { calls++ }, func(b []Sample) { all = append(all, b...) })
	if err != nil {
		t.Fatal(err)
	}
	if calls != 1 {
		t.Errorf("started called %d times", calls)
	}
	n := res.Counts
	if n.Received+n.Lost != n.Sent || uint64(len(all)) != n.Received-n.RingDrops+n.Duplicates {
		t.Errorf("%d samples do not fit %+v", len(all), n)
	}
	return all, res
}

func TestEveryReceiverGetsAll(t *testing.T) {
	for _, name := range signalReceivers() {
		t.Run(name, func(t *testing.T) {
			c := base()
			c.Receiver = name
			all, res := measure(t, context.Background(), c)
			if n := res.Counts; n.Sent != c.Count || n.Lost != 0 || n.Duplicates != 0 || n.Reordered != 0 || !res.Complete {
				t.Errorf("complete %v, counts %+v", res.Complete, n)
			}
			for i, s := range all {
				if s.Seq != uint64(i) {
					t.Fatalf("sample %d has number %d", i, s.Seq)
				}
				if i > 0 && s.ReceivedNS < all[i-1].ReceivedNS {
					t.Fatalf("sample %d received before sample %d", i, i-1)
				}
			}
		})
	}
}

func TestPinnedRun(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Fatal("this test needs two CPUs")
	}
	before := affinities(t)
	c := base()
	c.CPU, c.TimerCPU = 1, 0
	all, res := measure(t, context.Background(), c)
	if !slices.Equal(res.Effective.CPUs, []int{1}) || res.Effective.Policy != PolicyOther || res.Counts.WrongCPU != 0 {
		t.Errorf("effective %+v, counts %+v", res.Effective, res.Counts)
	}
	for _, s := range all {
		if s.CPU != 1 {
			t.Fatalf("sample %d received on CPU %d", s.Seq, s.CPU)
		}
	}
	if after := affinities(t); !slices.Equal(after, before) {
		t.Errorf("affinities of the process's threads: %v before, %v after", before, after)
	}
}

// emulated: qemu-user runs the test, which needs the variable for signal 64.
// It blocks signals in its host threads for moments, and /proc shows theirs.
var emulated = os.Getenv("QEMU_RTSIG_MAP") != ""

// affinities returns the distinct affinities, and signal masks, of the
// process's threads.
func affinities(t *testing.T) []string {
	t.Helper()
	time.Sleep(20 * time.Millisecond) // threads that end are gone then
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var lists []string
	for _, task := range tasks {
		b, err := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			// The runtime blocks everything in a thread that begins or ends.
			mask := strings.HasPrefix(line, "SigBlk") && !strings.Contains(line, "ffffffff")
			if strings.HasPrefix(line, "Cpus_allowed_list") || mask && !emulated {
				lists = append(lists, line)
			}
		}
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

func TestContextEndsRunWithResults(t *testing.T) {
	for _, name := range signalReceivers() {
		c := base()
		c.Receiver, c.Count = name, 0
		ctx, cancel := context.WithCancel(context.Background())
		var seen atomic.Int64
		time.AfterFunc(150*time.Millisecond, cancel)
		res, err := Run(ctx, c, func(Effective) {}, func(b []Sample) { seen.Add(int64(len(b))) })
		if err != nil || res.Complete || seen.Load() == 0 || res.Counts.Lost != 0 {
			t.Errorf("%s: %v, %+v, %d samples", name, err, res, seen.Load())
		}
		ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
		if _, res := measure(t, ctx, c); !res.Complete {
			t.Errorf("%s: a run that lasted its time is not complete", name)
		}
		cancel()
	}
}

// TestEndedAtOnce ends runs before and while their source starts.
func TestEndedAtOnce(t *testing.T) {
	for i := range 50 {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(i)*20*time.Microsecond, cancel)
		c := base()
		c.Count, c.Period = 0, 100*time.Microsecond
		measure(t, ctx, c)
		cancel()
	}
}

// TestCollectorAndChurn has the garbage collector, many goroutines and
// preemption signals at work beside the receiver.
func TestCollectorAndChurn(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	for range 2 {
		go func() {
			var keep [][]byte
			for {
				select {
				case <-stop:
					return
				default:
				}
				keep = append(keep[:len(keep)%64], make([]byte, 64<<10))
				go func() { runtime.Gosched() }()
				runtime.GC()
			}
		}()
	}
	for _, name := range signalReceivers() {
		c := base()
		c.Receiver, c.Count, c.Period = name, 3000, 100*time.Microsecond
		if _, res := measure(t, context.Background(), c); res.Counts.Received != c.Count {
			t.Errorf("%s: %+v", name, res.Counts)
		}
	}
}

func TestFullQueueIsRefusedNotLost(t *testing.T) {
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_SIGPENDING, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_SIGPENDING, &unix.Rlimit{Cur: 0, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_SIGPENDING, &old) }()
	c := base()
	c.Count = 50
	_, res := measure(t, context.Background(), c)
	if n := res.Counts; n.Refused != c.Count || n.Sent != 0 || n.Lost != 0 || !res.Complete {
		t.Errorf("complete %v, counts %+v", res.Complete, n)
	}
}

func TestWrongConfig(t *testing.T) {
	cases := map[string]func(*Config){
		"source":            func(c *Config) { c.Source = "x" },
		"receiver":          func(c *Config) { c.Receiver = "x" },
		"period":            func(c *Config) { c.Period = 0 },
		"CPU":               func(c *Config) { c.CPU = 1 << 12 },
		"timer CPU":         func(c *Config) { c.CPU, c.TimerCPU = 0, -2 },
		"clock":             func(c *Config) { c.Clock = "x" },
		"context":           func(c *Config) { c.Context = "x" },
		"policy":            func(c *Config) { c.Policy = "x" },
		"priority":          func(c *Config) { c.Policy, c.Priority = PolicyFIFO, 100 },
		"--source kernel":   func(c *Config) { c.Receiver = "read" },
		"event stream":      func(c *Config) { c.Segments = true },
		"--clock monotonic": func(c *Config) { c.Receiver, c.Clock = "notify", ClockRealtime },
		"load the module": func(c *Config) {
			c.Source, c.Device = SourceKernel, t.TempDir()+"/none"
		},
		"not the device of siglat": func(c *Config) { c.Source, c.Device = SourceKernel, "/dev/null" },
	}
	for word, change := range cases {
		c := base()
		change(&c)
		res, err := Run(context.Background(), c, func(Effective) { t.Error("started") }, func([]Sample) {})
		if err == nil || res == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", word, err)
		}
	}
}
