// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package sigwait

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestKernelSource(t *testing.T) {
	for _, name := range Receivers() {
		for _, cpu := range []int{0, 1} {
			for _, fifo := range []int{0, 40} {
				c := Config{Source: SourceKernel, Receiver: name, Device: "/dev/siglat", CPU: cpu, TimerCPU: 0,
					Policy: PolicyOther, Period: 20 * time.Millisecond, Count: 300, Clock: ClockMonotonic, Context: ContextAuto}
				if fifo > 0 {
					c.Policy, c.Priority = PolicyFIFO, fifo
				}
				if name == "busy" {
					c.Period = 2 * time.Millisecond
				}
				all, res := measure(t, context.Background(), c)
				if n := res.Counts; n.Sent != c.Count || n.Lost != 0 || n.Invalid != 0 || n.WrongCPU != 0 {
					t.Errorf("%s: counts %+v", name, n)
				}
				var l []int64
				for _, s := range all {
					l = append(l, s.LatencyNS)
				}
				slices.Sort(l)
				t.Logf("%s cpu %d fifo %d: %s min %d p50 %d p99 %d max %d", name, cpu, fifo, res.Effective.Context,
					l[0], l[len(l)/2], l[len(l)*99/100], l[len(l)-1])
			}
		}
	}
}
