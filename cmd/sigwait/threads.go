// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
)

// resolveThreads fills in where and how the receiving threads wait.
func (o *options) resolveThreads(c *cli.Command) error {
	o.config.DMALatencyUS = o.dmaLatency.us
	cpus := o.cpus.cpus
	if o.source.value == string(sigwait.SourceTimer) {
		for _, flag := range []string{"receiver", "busy", "timer-cpu", "context", "segments", "device", "mode"} {
			if c.Changed(flag) {
				return cli.Usagef("--%s: not with --source timer, which sends no signals", flag)
			}
		}
		o.config.CPUs = cpus
		return nil
	}
	if len(cpus) > 1 {
		return cli.Usagef("--cpu %s: wants one CPU; several are for --source timer", o.cpus.text)
	}
	if len(cpus) == 1 {
		o.config.CPU = cpus[0]
	}
	if o.config.Mode == sigwait.ModeUser {
		o.config.Receiver = o.receiver.value
	}
	return nil
}

// checkCPUs finds CPUs that are not in the list of those online; an empty
// list is not known.
func (o *options) checkCPUs(online string) error {
	if online == "" {
		return nil
	}
	for _, cpu := range o.cpus.cpus {
		if !host.Listed(online, cpu) {
			return cli.Usagef("--cpu %d: not online (online: %s)", cpu, online)
		}
	}
	if cpu := o.config.TimerCPU; cpu != sigwait.AnyCPU && !host.Listed(online, cpu) {
		return cli.Usagef("--timer-cpu %d: not online (online: %s)", cpu, online)
	}
	return nil
}

func (o *options) resolvePolicy(c *cli.Command, g given) error {
	asked := 0
	for _, p := range []struct {
		flag     string
		given    bool
		policy   sigwait.Policy
		priority int
	}{
		{"fifo", c.Changed("fifo"), sigwait.PolicyFIFO, *g.fifo},
		{"rr", c.Changed("rr"), sigwait.PolicyRR, *g.rr},
		{"deadline", c.Changed("deadline"), sigwait.PolicyDeadline, 0},
		{"other", *g.other, sigwait.PolicyOther, 0},
	} {
		if !p.given {
			continue
		}
		wanted := p.policy == sigwait.PolicyFIFO || p.policy == sigwait.PolicyRR
		if wanted && (p.priority < 1 || p.priority > maxPriority) {
			return cli.Usagef("--%s %d: wants a priority from 1 to %d", p.flag, p.priority, maxPriority)
		}
		asked++
		o.config.Policy, o.config.Priority = p.policy, p.priority
	}
	if asked > 1 {
		return cli.Usagef("--fifo, --rr, --deadline and --other: use one")
	}
	o.config.Deadline = o.deadline.Deadline
	return nil
}
