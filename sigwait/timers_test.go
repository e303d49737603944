// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"
)

func timerBase() Config {
	c := base()
	c.Source, c.Receiver = SourceTimer, ""
	return c
}

func TestTimerOnEachCPU(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Fatal("this test needs two CPUs")
	}
	before := affinities(t)
	c := timerBase()
	c.CPUs = []int{0, 1}
	all, res := measure(t, context.Background(), c)
	if n := res.Counts; n.Sent != 2*c.Count || n.Received != n.Sent || n.Invalid != 0 || n.WrongCPU != 0 || !res.Complete {
		t.Errorf("complete %v, counts %+v", res.Complete, n)
	}
	if e := res.Effective; !slices.Equal(e.CPUs, c.CPUs) || e.TimerCPU != AnyCPU || e.Context != ContextTimer || e.Policy != PolicyOther {
		t.Errorf("effective %+v", e)
	}
	numbers := map[uint64]bool{}
	last := map[int]int64{}
	for _, s := range all {
		expiry := s.ReceivedNS - s.LatencyNS
		if s.LatencyNS < 0 || !s.Valid || expiry <= last[s.CPU] {
			t.Fatalf("%+v after an expiry at %d", s, last[s.CPU])
		}
		numbers[s.Seq], last[s.CPU] = true, expiry
	}
	if len(numbers) != len(all) || !numbers[0] || !numbers[uint64(len(all)-1)] || len(last) != 2 {
		t.Errorf("%d numbers of %d samples, from %d CPUs", len(numbers), len(all), len(last))
	}
	if after := affinities(t); !slices.Equal(after, before) {
		t.Errorf("affinities of the process's threads: %v before, %v after", before, after)
	}
}

func TestTimerAnywhere(t *testing.T) {
	for _, clock := range []Clock{ClockMonotonic, ClockRealtime} {
		c := timerBase()
		c.Clock = clock
		all, res := measure(t, context.Background(), c)
		if len(all) != int(c.Count) || !res.Complete || res.Counts.Lost != 0 {
			t.Errorf("%s: %d samples, counts %+v", clock, len(all), res.Counts)
		}
	}
}

func TestTimerEndsWithContext(t *testing.T) {
	c := timerBase()
	c.CPUs, c.Count, c.Period = []int{0}, 0, 5*time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if all, res := measure(t, ctx, c); !res.Complete || len(all) == 0 {
		t.Errorf("%d samples, complete %v", len(all), res.Complete)
	}
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	c.Period = time.Hour
	if all, res := measure(t, ctx, c); res.Complete || len(all) != 0 {
		t.Errorf("%d samples, complete %v", len(all), res.Complete)
	}
}
