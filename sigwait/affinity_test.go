// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseCPUs(t *testing.T) {
	for list, want := range map[string][]int{
		"0": {0}, "0-2": {0, 1, 2}, "3,1": {1, 3}, "0-1,1-2,1": {0, 1, 2}, "63-64,127": {63, 64, 127}, "65535": {65535},
		"": nil, ",": nil, "0,": nil, "2-1": nil, "-1": nil, "0-": nil, "a": nil, "0 1": nil, "65536": nil, "0--1": nil,
	} {
		got, err := ParseCPUs(list)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) || err != nil && !strings.Contains(err.Error(), "CPU list") {
			t.Errorf("%q: %v, %v; want %v", list, got, err, want)
		}
	}
}

func setOf(cpus ...int) (set unix.CPUSet) {
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return set
}

func TestAway(t *testing.T) {
	for _, c := range []struct {
		name                    string
		may, receiver, isolated []int
		want                    []int
		moves                   bool
	}{
		{"another CPU", []int{0, 1}, []int{1}, nil, []int{0}, true},
		{"no other", []int{1}, []int{1}, nil, []int{1}, false},
		{"elsewhere already", []int{0, 2}, []int{1}, nil, []int{0, 2}, false},
		{"off isolated ones", []int{0, 1, 2, 3}, []int{2}, []int{2, 3}, []int{0, 1}, true},
		{"off isolated ones though elsewhere", []int{0, 3}, []int{2}, []int{2, 3}, []int{0}, true},
		{"all others isolated", []int{2, 3}, []int{2}, []int{2, 3}, []int{3}, true},
		{"several receivers", []int{0, 1, 2, 3}, []int{1, 2}, nil, []int{0, 3}, true},
		{"receivers everywhere", []int{0, 1}, []int{0, 1}, []int{1}, []int{0, 1}, false},
	} {
		rest, ok := away(setOf(c.may...), c.receiver, c.isolated)
		if got := cpusOf(&rest); ok != c.moves || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, ok, c.want, c.moves)
		}
	}
}

// mayRunOn returns the threads of this process that may run on a CPU.
func mayRunOn(t *testing.T, cpu int) (tids []int) {
	t.Helper()
	for _, tid := range threads() {
		if set, err := affinity(tid); err == nil && set.IsSet(cpu) {
			tids = append(tids, tid)
		}
	}
	return tids
}

// lock runs n goroutines, each on a thread of its own, until the returned
// function is called.
func lock(n int) (unlock func()) {
	done := make(chan struct{})
	var up, down sync.WaitGroup
	up.Add(n)
	for range n {
		down.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			up.Done()
			<-done
		})
	}
	up.Wait()
	return func() {
		close(done)
		down.Wait()
	}
}

// TestOnlyTheReceiverOnItsCPU covers threads that are there when a run starts
// and threads that the runtime starts during it, also from the receiving one.
func TestOnlyTheReceiverOnItsCPU(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Fatal("this test needs two CPUs")
	}
	// A thread of the program that is bound already stays so.
	bound := make(chan int)
	done := make(chan struct{})
	defer close(done)
	thread(func() {
		if err := pin(1); err != nil {
			t.Error(err)
		}
		bound <- unix.Gettid()
		<-done
	})
	pinned := <-bound
	defer lock(8)()
	before := affinities(t)
	c := base()
	c.CPU, c.TimerCPU, c.Count = 1, 0, 0
	ctx, cancel := context.WithCancel(context.Background())
	looked := false
	_, err := Run(ctx, c, func(Effective) {}, func([]Sample) {
		if looked {
			return
		}
		looked = true
		unlock := lock(20)
		defer unlock()
		if tids := mayRunOn(t, 1); len(tids) != 2 || !slices.Contains(tids, pinned) {
			t.Errorf("threads %v may run on the receiver's CPU, thread %d is bound there; %d threads in all", tids, pinned, len(threads()))
		}
		cancel()
	})
	if err != nil || !looked {
		t.Fatalf("looked: %v, %v", looked, err)
	}
	if after := affinities(t); !slices.Equal(after, before) {
		t.Errorf("affinities of the process's threads: %v before, %v after", before, after)
	}
}
