// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	fuzzTime = flag.Duration("fuzztime", 30*time.Second, "how long TestFuzz runs")
	fuzzSeed = flag.Uint64("seed", 0, "seed of TestFuzz, 0: the time")
	workers  = flag.Int("workers", 4, "processes of TestFuzz")
)

// stuckAfter is how long a killed process may take to be gone: more is a
// system call of the module that nothing ends.
const stuckAfter = 60 * time.Second

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// A fuzzer starts workers, does to them what only another process can do, and
// takes CPU 1 away and gives it back.
type fuzzer struct {
	t      *testing.T
	rng    *rand.Rand
	tally  *tally
	shared [2]int // a socket pair over which workers pass devices to each other
	slots  []*exec.Cmd
	ended  chan end
	counts map[string]int
}

// An end is a worker's.
type end struct {
	slot int
	cmd  *exec.Cmd
	err  error
}

func TestFuzz(t *testing.T) {
	seed := *fuzzSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	fmt.Printf("fuzz: seed %d, %v, %d processes\n", seed, *fuzzTime, *workers)
	f := &fuzzer{t: t, rng: newRand(seed), tally: newTally(t), slots: make([]*exec.Cmd, *workers),
		ended: make(chan end, *workers), counts: map[string]int{}}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.shared = pair
	for i := range f.slots {
		f.start(i)
	}
	deadline := time.Now().Add(*fuzzTime)
	for time.Now().Before(deadline) && !t.Failed() {
		f.step()
	}
	f.finish()
	f.tally.report(t, f.counts)
	if err := leaveNothing(); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
}

func (f *fuzzer) start(slot int) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=worker", fmt.Sprintf("%s=%d", seedVariable, f.rng.Uint64()))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{f.tally.file}
	for _, fd := range f.shared {
		copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			f.t.Fatal(err)
		}
		file := os.NewFile(uintptr(copied), "shared")
		defer file.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.slots[slot] = cmd
	f.counts["processes"]++
	go func() { f.ended <- end{slot, cmd, cmd.Wait()} }()
}

// step waits a while and then disturbs something.
func (f *fuzzer) step() {
	select {
	case e := <-f.ended:
		f.judge(e)
		f.start(e.slot)
		return
	case <-time.After(time.Duration(f.rng.IntN(100)) * time.Millisecond):
	}
	victim := f.slots[f.rng.IntN(len(f.slots))].Process
	switch f.rng.IntN(16) {
	case 0, 1:
		_ = victim.Kill() // harmless if it has ended
		f.counts["kills"]++
	case 2:
		_ = victim.Signal(unix.SIGSTOP)
		time.Sleep(time.Duration(f.rng.IntN(50)) * time.Millisecond)
		_ = victim.Signal(unix.SIGCONT)
		f.counts["stops"]++
	case 3:
		_ = victim.Signal(unix.SIGTERM)
		f.counts["terminations"]++
	case 4, 5:
		f.hotplug("0")
		time.Sleep(time.Duration(f.rng.IntN(60)) * time.Millisecond)
		f.hotplug("1")
		f.counts["CPU 1 off line"]++
	case 6:
		drainShared(f.shared[f.rng.IntN(2)])
	}
}

func (f *fuzzer) hotplug(state string) {
	if err := os.WriteFile("/sys/devices/system/cpu/cpu1/online", []byte(state), 0); err != nil {
		f.t.Errorf("CPU 1 online %s: %v", state, err)
	}
}

// judge fails the test for a worker that saw what must not be.
func (f *fuzzer) judge(e end) {
	if e.err == nil {
		return
	}
	if s := e.err.Error(); strings.Contains(s, "signal: killed") || strings.Contains(s, "signal: terminated") {
		return
	}
	f.t.Errorf("worker: %v", e.err)
}

// finish kills all workers and waits for their ends.
func (f *fuzzer) finish() {
	for _, cmd := range f.slots {
		_ = cmd.Process.Kill()
	}
	for range f.slots {
		select {
		case e := <-f.ended:
			f.judge(e)
		case <-time.After(stuckAfter):
			f.t.Fatalf("a process is not gone %v after SIGKILL", stuckAfter)
		}
	}
	for _, fd := range f.shared {
		_ = unix.Close(fd)
	}
}
