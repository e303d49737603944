// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// A watch remembers the source's statistics while nothing arrives.
type watch struct {
	since time.Duration // c.quiet when first looked
	first sys.Stats
}

// stalled is called while nothing arrives. It tells whether the source has
// ended; an error says why nothing can arrive any more.
func (c *collector) stalled() (bool, error) {
	stats, err := c.r.src.stats()
	if err != nil {
		return true, fmt.Errorf("read the statistics of the source: %w", err)
	}
	if stats.State&sys.StateGone != 0 {
		return true, errors.New("the module has stopped: the receiving thread has changed its credentials or executed a program")
	}
	if stats.State&sys.StateRunning == 0 {
		return true, nil
	}
	if c.watch.since == 0 || c.quiet < c.watch.since {
		c.watch = watch{c.quiet, stats}
	}
	if c.quiet-c.watch.since < max(5*c.r.c.Period, minStall) {
		return false, nil
	}
	return true, fmt.Errorf("nothing received for %v: %s", c.quiet.Round(time.Millisecond), c.cause(stats))
}

// cause names the reason that can be seen, and the remedy.
func (c *collector) cause(now sys.Stats) string {
	switch first := c.watch.first; {
	case now.Refused > first.Refused:
		return fmt.Sprintf("the kernel refuses the signals (%v): the queue is full, see RLIMIT_SIGPENDING (ulimit -i)", unix.Errno(now.LastErrno))
	case now.Sent > first.Sent:
		return "signals are sent, but the receiving thread does not run: " + throttling()
	}
	cpu := c.r.c.TimerCPU
	if now.CPU >= 0 {
		cpu = int(now.CPU)
	}
	starved := c.r.eff.Policy == PolicyFIFO || c.r.eff.Policy == PolicyRR
	if now.Context == sys.ContextSoftIRQ && starved && c.r.c.Receiver == "busy" {
		return fmt.Sprintf("the timer of CPU %d does not fire: on PREEMPT_RT it needs the thread ktimers/%d, which a receiver that spins there at real-time priority starves: use --context thread, another --timer-cpu or --other", cpu, cpu)
	}
	return noTimer(cpu)
}

func noTimer(cpu int) string {
	return fmt.Sprintf("the timer of CPU %d does not fire (online: %s): choose another --timer-cpu, or look for what holds that CPU", cpu, onlineCPUs())
}

// throttling tells about the limit on real-time threads, sched(7).
func throttling() string {
	b, err := os.ReadFile("/proc/sys/kernel/sched_rt_runtime_us")
	if v := strings.TrimSpace(string(b)); err == nil && v != "-1" {
		return fmt.Sprintf("another thread holds its CPU, or real-time throttling is at work (sched_rt_runtime_us is %s; 'sudo sysctl kernel.sched_rt_runtime_us=-1' turns it off)", v)
	}
	return "another thread of higher priority holds its CPU"
}
