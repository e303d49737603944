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

// spinning receivers get a shorter period and more samples: in virtual time a
// CPU that spins costs real time, one that sleeps does not. A period that is no
// multiple of a round, and many samples, keep the median of poll from depending
// on where in a round the signals arrive.
var spinning = []string{"busy", "poll"}

func (c cell) period() time.Duration {
	if slices.Contains(spinning, c.Receiver) {
		return 503117 * time.Nanosecond
	}
	return 100 * time.Millisecond
}

// samples returns how many to take where n are asked for.
func (c cell) samples(n int) int {
	if slices.Contains(spinning, c.Receiver) {
		return 10 * n
	}
	return n
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

// commandGo returns the command line in the guest for samples(n). The timer is
// on CPU 0.
func (c cell) commandGo(n int) []string {
	args := []string{guestGo, "--source", "kernel", "--receiver", c.Receiver, "--cpu", c.cpu(),
		"--timer-cpu", "0", "--period", c.period().String(), "--count", strconv.Itoa(c.samples(n))}
	if c.Policy == fifo {
		return append(args, "--fifo", priority)
	}
	return append(args, "--other")
}

// commandC is commandGo for the program in C.
func (c cell) commandC(n int) []string {
	fifoPriority := "0"
	if c.Policy == fifo {
		fifoPriority = priority
	}
	ns := strconv.FormatInt(c.period().Nanoseconds(), 10)
	return []string{guestC, c.Receiver, c.cpu(), "0", fifoPriority, ns, strconv.Itoa(c.samples(n))}
}

func (c cell) cpu() string {
	if c.CPU == same {
		return "0"
	}
	return "1"
}
