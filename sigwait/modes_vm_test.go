// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package sigwait

import (
	"context"
	"strings"
	"testing"
	"time"
)

// inMode is a run of 500 expiries at 2 ms on CPU 0.
func inMode(m Mode) Config {
	c := kernel("")
	c.Mode, c.CPU, c.Policy, c.Period, c.Count = m, AnyCPU, "", 2*time.Millisecond, 500
	if m == ModeUser {
		c.Receiver, c.CPU, c.Policy, c.Segments = "sigwait", 0, PolicyOther, true
	}
	return c
}

// TestModes finds that the timer's callback comes before the thread that it
// wakes, and that before a signal's receiver on the same CPU, each time from
// the expiry on.
func TestModes(t *testing.T) {
	var before int64
	for _, mode := range []Mode{ModeIRQ, ModeKthread, ModeUser} {
		c := inMode(mode)
		all, res := measure(t, context.Background(), c)
		n := res.Counts
		if n.Sent != c.Count || n.Received != c.Count || n.Overruns+n.WrongCPU+n.RingDrops != 0 || !res.Complete {
			t.Errorf("%s: complete %v, %+v", mode, res.Complete, n)
		}
		for i := range all {
			s := &all[i]
			if s.Seq != uint64(i) || !s.Valid || s.TimerCPU != 0 || s.LatencyNS <= 0 {
				t.Fatalf("%s: sample %d: %+v", mode, i, *s)
			}
			s.LatencyNS += s.TimerNS + s.ModuleNS // zero but in mode user
		}
		m := median(all)
		t.Logf("%s, context %s: median %d ns from the expiry", mode, res.Effective.Context, m)
		if m <= before {
			t.Errorf("mode %s: median %d ns, that of the mode before %d ns", mode, m, before)
		}
		before = m
	}
}

func TestKthreadEffective(t *testing.T) {
	c := inMode(ModeKthread)
	c.Policy, c.Priority, c.Count = PolicyFIFO, 50, 5
	_, res := measure(t, context.Background(), c)
	e := res.Effective
	if e.Policy != PolicyFIFO || e.Priority != 50 || len(e.CPUs) != 1 || e.CPUs[0] != 0 || e.TimerCPU != 0 || e.Context != ContextHardIRQ {
		t.Errorf("%+v", e)
	}
	c.Policy, c.Priority = "", 0
	if _, res = measure(t, context.Background(), c); res.Effective.Priority < 1 || res.Effective.Priority > 99 {
		t.Errorf("the module's default: %+v", res.Effective)
	}
}

// TestModeEndless stops a run by its context, with more events than the module
// keeps.
func TestModeEndless(t *testing.T) {
	c := inMode(ModeIRQ)
	c.Count, c.Period = 0, 100*time.Microsecond
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, res := measure(t, ctx, c)
	if n := res.Counts; n.Sent < 2*moduleEvents || n.RingDrops != 0 || !res.Complete {
		t.Errorf("complete %v, %+v", res.Complete, n)
	}
}

func TestModeTimerCPUOffline(t *testing.T) {
	c := inMode(ModeIRQ)
	c.TimerCPU = 7
	_, err := Run(context.Background(), c, func(Effective) {}, func([]Sample) {})
	if err == nil || !strings.HasPrefix(err.Error(), "timer CPU 7 is not online (online: 0-1)") {
		t.Error(err)
	}
}
