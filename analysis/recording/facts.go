// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Fact is one condition of a run as text, empty when it is not known.
type Fact struct{ Name, Value string }

// Facts returns what must be equal for the figures of two runs to compare:
// clock, machine, kernel and the parts of the virtual machine.
func (r *Run) Facts() []Fact {
	facts := []Fact{
		{"clock", r.Clock},
		{"host", r.Host.Hostname},
		{"kernel", r.Host.Kernel},
		{"kernel build", r.Host.KernelBuild},
		{"architecture", r.Host.Arch},
		{"Go version", r.GoVersion},
		{"CPU model", r.Host.CPUModel},
		{"governor", r.Host.Governor},
		{"idle states", strings.Join(r.Host.IdleStates, ",")},
		{"clocksource", r.Host.Clocksource},
		{"hypervisor", r.Host.Hypervisor},
		{"kernel command line", r.Host.Cmdline},
	}
	for _, k := range []string{"qemu", "cpu", "image_sha256", "module_compiler"} {
		facts = append(facts, Fact{"lab " + k, r.Host.Lab[k]})
	}
	return facts
}

// Setup returns what a user chooses about a run: its receiver, CPUs, policy
// and so on, as they were in force.
func (r *Run) Setup() []Fact {
	e := &r.Effective
	priority, period, deadline, dma := "", "", "", ""
	if e.Policy != "" {
		priority, deadline, dma = strconv.Itoa(e.Priority), "none", "no limit"
	}
	if r.Config.PeriodNS > 0 {
		period = time.Duration(r.Config.PeriodNS).String()
	}
	if d := e.Deadline; d != nil {
		deadline = fmt.Sprintf("%v:%v:%v", time.Duration(d.RuntimeNS), time.Duration(d.DeadlineNS), time.Duration(d.PeriodNS))
	}
	if e.DMALatencyUS != nil {
		dma = fmt.Sprintf("%d us", *e.DMALatencyUS)
	}
	return []Fact{
		{"source", r.Config.Source},
		{"receiver", e.Receiver},
		{"placement", e.Placement},
		{"policy", e.Policy},
		{"priority", priority},
		{"deadline", deadline},
		{"DMA latency", dma},
		{"period", period},
		{"context", e.Context},
		{"stamp", e.Stamp},
		{"stamp clock", e.StampClock},
		{"blame", map[bool]string{true: "on", false: "off"}[r.Config.Blame]},
	}
}

// Configuration returns what a user chose about a run in one text, as
// "kernel, sigwait, CPU 1, other CPU, FIFO 80, 100ms": two runs of a host with
// equal ones may be compared over time. The kernel is no part of it, nor is
// what it decides.
func (r *Run) Configuration() string {
	e, c := &r.Effective, &r.Config
	words := []string{c.Source, e.Receiver}
	if len(e.CPUs) > 0 && (e.Placement != "floating" || c.CPU >= 0) {
		cpus := make([]string, len(e.CPUs))
		for i, cpu := range e.CPUs {
			cpus[i] = strconv.Itoa(cpu)
		}
		words = append(words, "CPU "+strings.Join(cpus, "+"))
	}
	words = append(words, map[string]string{"same": "same CPU", "other": "other CPU", "floating": "any CPU"}[e.Placement])
	policy := strings.ToUpper(e.Policy)
	if e.Priority > 0 {
		policy += fmt.Sprintf(" %d", e.Priority)
	}
	words = append(words, policy)
	for _, f := range r.Setup() {
		switch {
		case f.Value == "":
		case f.Name == "period":
			words = append(words, f.Value)
		case f.Name == "deadline" && f.Value != "none", f.Name == "DMA latency" && f.Value != "no limit":
			words = append(words, f.Name+" "+f.Value)
		}
	}
	if c.Context != "" && c.Context != "auto" {
		words = append(words, c.Context)
	}
	if e.StampClock != "" && e.StampClock != "monotonic" {
		words = append(words, "CLOCK_"+strings.ToUpper(e.StampClock))
	}
	if c.Blame {
		words = append(words, "blame")
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}

// Differing returns one text "name: a, b" for each fact known of both sides
// and not equal. Of facts that follow from another, such as the image from
// the kernel, only the first is told.
func Differing(a, b []Fact) []string {
	var out []string
	kernel := false
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x.Value == y.Value || x.Value == "" || y.Value == "" {
			continue
		}
		follows := slices.Contains([]string{"kernel build", "kernel command line", "lab image_sha256"}, x.Name)
		if kernel && follows {
			continue
		}
		kernel = kernel || x.Name == "kernel"
		out = append(out, fmt.Sprintf("%s: %s, %s", x.Name, shorten(x.Value), shorten(y.Value)))
	}
	return out
}

func shorten(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}
