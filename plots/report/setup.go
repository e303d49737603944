// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"strings"

	"siglat/analysis/recording"
)

// A setup is what decides a latency and can be chosen: the dimensions in
// which runs are compared. The period is none of them; it is told beside a
// comparison.
type setup struct {
	placement, policy, receiver string
	kernel                      string // release without the mark of PREEMPT_RT
	rt                          bool
	source, stamp               string
	context, asked              string // of the send: effective, asked for
	deadline, dma, blame        string
}

func setupOf(r *recording.Recording) setup {
	chosen := map[string]string{}
	for _, f := range r.Setup() {
		chosen[f.Name] = f.Value
	}
	return setup{
		deadline: chosen["deadline"], dma: chosen["DMA latency"], blame: chosen["blame"],
		placement: r.Effective.Placement,
		policy:    policyOf(r),
		receiver:  receiverOf(r),
		kernel:    strings.Replace(r.Host.Kernel, "-rt", "", 1),
		rt:        r.Host.PreemptRT,
		source:    r.Config.Source,
		stamp:     first(r.Effective.StampClock, r.Config.StampClock),
		context:   r.Effective.Context,
		asked:     r.Config.Context,
	}
}

func first(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}

func receiverOf(r *recording.Recording) string {
	return first(r.Effective.Receiver, r.Config.Receiver)
}

// policyOf writes policy and priority as sched(7) names them: "FIFO 40".
func policyOf(r *recording.Recording) string {
	p := strings.ToUpper(r.Effective.Policy)
	if p == "FIFO" || p == "RR" {
		return fmt.Sprintf("%s %d", p, r.Effective.Priority)
	}
	return p
}

func realTime(policy string) bool {
	return strings.HasPrefix(policy, "FIFO ") || strings.HasPrefix(policy, "RR ")
}

// blocked tells whether a receiver sleeps in the kernel until its signal.
func blocked(receiver string) bool {
	return receiver != "" && receiver != "busy" && receiver != "poll"
}

func placementText(p string) string {
	switch p {
	case "same":
		return "same CPU"
	case "other":
		return "other CPU"
	case "floating":
		return "any CPU"
	}
	return p
}

func receiverText(r string) string {
	switch {
	case r == "":
		return ""
	case blocked(r):
		return "blocked (" + r + ")"
	case r == "poll":
		return "polling"
	}
	return r
}

func kernelText(s setup) string {
	if s.rt {
		return s.kernel + " PREEMPT_RT"
	}
	return s.kernel
}

// describe writes a set-up in a few words, without the part that a
// comparison is about.
func (s setup) describe(without Dimension) string {
	var parts []string
	add := func(d Dimension, text string) {
		if d != without && text != "" {
			parts = append(parts, text)
		}
	}
	add(Receiver, receiverText(s.receiver))
	add(Placement, placementText(s.placement))
	add(Policy, s.policy)
	add(Kernel, kernelText(s))
	return strings.Join(parts, ", ")
}

// An environment is what must be equal for figures to compare, beside the
// set-up.
type environment struct {
	host, cpu, clock, qemu, labCPU, image   string
	governor, idle, clocksource, hypervisor string
}

func environmentOf(r *recording.Recording, d Dimension) environment {
	e := environment{
		host: r.Host.Hostname, cpu: r.Host.CPUModel, clock: r.Clock,
		governor: r.Host.Governor, idle: strings.Join(r.Host.IdleStates, ","), clocksource: r.Host.Clocksource, hypervisor: r.Host.Hypervisor,
		qemu: r.Host.Lab["qemu"], labCPU: r.Host.Lab["cpu"], image: r.Host.Lab["image_sha256"],
	}
	if d == Kernel {
		e.image = "" // another kernel is another image
	}
	return e
}

// differences names what differs, one sentence each.
func (e environment) differences(o environment) []string {
	var out []string
	add := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s differs: %s and %s", what, first(short(a), "unknown"), first(short(b), "unknown")))
		}
	}
	add("clock", e.clock, o.clock)
	add("host", e.host, o.host)
	add("CPU model", e.cpu, o.cpu)
	add("governor", e.governor, o.governor)
	add("idle states", e.idle, o.idle)
	add("clocksource", e.clocksource, o.clocksource)
	add("hypervisor", e.hypervisor, o.hypervisor)
	add("QEMU version", e.qemu, o.qemu)
	add("virtual CPU", e.labCPU, o.labCPU)
	add("kernel image", e.image, o.image)
	return out
}

// short cuts what is too long for a sentence, such as a hash.
func short(s string) string {
	if len(s) == 64 && !strings.ContainsAny(s, " ,") {
		return s[:12]
	}
	return s
}
