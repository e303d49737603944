// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"slices"
	"strconv"
	"time"
)

// A cell is one measurement, made in Go and, where C has that receiver, in C.
type cell struct {
	Kernel   string `json:"kernel"`
	Receiver string `json:"receiver"`
	CPU      string `json:"cpu"`    // "same" as the timer's, or "other"
	Policy   string `json:"policy"` // "other" or "fifo40"
}

const (
	same, other = "same", "other"
	fifo        = "fifo40"
	priority    = "40"
)

// Where the guest finds the two programs.
const (
	guestGo = "/bin/sigwait"
	guestC  = "/bin/receiver"
)

// spinning receivers get a shorter period: in virtual time a CPU that spins
// costs real time, one that sleeps does not.
var spinning = []string{"busy", "poll"}

// phases are in how many runs the samples of a spinning receiver are taken,
// each with a period a step longer than the one before, over the length of a
// round of poll. One period alone meets that round, and the turns that the
// emulated CPUs take, at always the same place: that would compare places, not
// programs. The shortest is a tick of 4 ms times a fifth of the golden section,
// which spreads the samples of a run evenly over the tick. A run ends before
// sigwait looks at its ring for the first time: that takes the emulated CPUs'
// turns from the receiver, as it would not on real ones.
const (
	phases      = 24
	phasePitch  = 17 * time.Nanosecond
	firstPeriod = 494427 * time.Nanosecond
)

// settling is how many samples of each run, in Go and in C, are left out: the
// first find the program, or the kernel's free lists, still busy with the
// start.
const settling = 5

// A part is one run of a program for a cell.
type part struct {
	period  time.Duration
	samples int // without those of settling
}

// parts returns the runs of a cell where n samples are asked for.
func (c cell) parts(n int) []part {
	if !slices.Contains(spinning, c.Receiver) {
		return []part{{100 * time.Millisecond, n}}
	}
	list := make([]part, phases)
	for i := range list {
		list[i] = part{firstPeriod + time.Duration(i)*phasePitch, max(2*n/3, 1)}
	}
	return list
}

// cells returns what is measured on a kernel, in the order of the output.
func cells(kernel string, receivers []string) []cell {
	var list []cell
	for _, r := range receivers {
		for _, cpu := range []string{same, other} {
			for _, policy := range []string{other, fifo} {
				list = append(list, cell{kernel, r, cpu, policy})
			}
		}
	}
	return list
}

// commandGo returns the command line in the guest for a part. The timer is on
// CPU 0.
func (c cell) commandGo(p part) []string {
	args := []string{guestGo, "--source", "kernel", "--receiver", c.Receiver, "--cpu", c.cpu(),
		"--timer-cpu", "0", "--period", p.period.String(), "--count", strconv.Itoa(p.samples + settling)}
	if c.Policy == fifo {
		return append(args, "--fifo", priority)
	}
	return append(args, "--other")
}

// commandC is commandGo for the program in C.
func (c cell) commandC(p part) []string {
	fifoPriority := "0"
	if c.Policy == fifo {
		fifoPriority = priority
	}
	ns := strconv.FormatInt(p.period.Nanoseconds(), 10)
	return []string{guestC, c.Receiver, c.cpu(), "0", fifoPriority, ns, strconv.Itoa(p.samples + settling)}
}

func (c cell) cpu() string {
	if c.CPU == same {
		return "0"
	}
	return "1"
}
