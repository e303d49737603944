// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"slices"
	"strings"

	"siglat/analysis/recording"
	"siglat/cmd/internal/host"
	"siglat/cmd/sigwait/internal/doctor"
	"siglat/sigwait"
)

// hints says to somebody who has just tried the command what was measured and
// what would tell more, each with its command. Empty where the kernel sent the
// signals, or the user wanted it otherwise.
func hints(o *options, run *recording.Run) string {
	if o.instead == nil || run.Clock != host.ClockReal {
		return ""
	}
	cpu := max(o.config.CPU, 0)
	found := doctor.Examine(doctor.Host{Root: thisHost, CPU: cpu, Device: o.instead, Limits: limits()})
	var b strings.Builder
	b.WriteString("\nMeasured: from a thread of this process that sends, to the one that receives, with the\nscheduler between them; not from the kernel's timer. What would tell more:\n")
	row := func(what, remedy string) { fmt.Fprintf(&b, "  %-14s %s\n", what, remedy) }
	for _, f := range found {
		if f.Level == doctor.Bad && slices.Contains([]string{"module", "governor", "idle states", "RLIMIT_RTPRIO"}, f.Check) {
			row(f.Check, f.Remedy)
		}
	}
	if policy := sigwait.Policy(run.Effective.Policy); policy == sigwait.PolicyOther {
		row("priority", "sigwait --fifo 80")
	}
	if len(run.Effective.CPUs) > 1 || run.Effective.TimerCPU < 0 {
		row("one CPU", fmt.Sprintf("sigwait --cpu %d --timer-cpu %d", cpu, cpu))
	}
	b.WriteString("  all of it      sigwait doctor\n")
	return b.String()
}
