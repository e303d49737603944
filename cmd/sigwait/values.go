// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"siglat/sigwait"
)

// A choice is a flag with one of a few values.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.of, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.of, s) {
		return fmt.Errorf("use %s", strings.Join(c.of, ", "))
	}
	c.value = s
	return nil
}

// A cpuNumber is a flag with the number of a CPU.
type cpuNumber struct{ cpu *int }

func (c cpuNumber) Type() string { return "CPU" }

func (c cpuNumber) String() string {
	if c.cpu == nil || *c.cpu == sigwait.AnyCPU {
		return ""
	}
	return strconv.Itoa(*c.cpu)
}

func (c cpuNumber) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return errors.New("use a CPU number, from 0")
	}
	*c.cpu = int(n)
	return nil
}

// A cpuList is a flag with CPUs in the kernel's format.
type cpuList struct {
	text string
	cpus []int
}

func (c *cpuList) Type() string   { return "CPU" }
func (c *cpuList) String() string { return c.text }

func (c *cpuList) Set(s string) error {
	cpus, err := sigwait.ParseCPUs(s)
	if err != nil {
		return errors.New("use a CPU number, from 0, or a list, as 0,2-3")
	}
	c.text, c.cpus = s, cpus
	return nil
}

// A reservation is a flag with the times of SCHED_DEADLINE.
type reservation struct{ sigwait.Deadline }

func (r *reservation) Type() string { return "RUNTIME:DEADLINE:PERIOD" }

func (r *reservation) String() string {
	if r.Deadline == (sigwait.Deadline{}) {
		return ""
	}
	return r.Deadline.String()
}

func (r *reservation) Set(s string) error {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return errors.New("use three times, as 1ms:5ms:10ms")
	}
	var times [3]time.Duration
	for i, p := range parts {
		var err error
		if times[i], err = time.ParseDuration(p); err != nil || times[i] <= 0 {
			return fmt.Errorf("%.20q is no time above zero, such as 1ms", p)
		}
	}
	d := sigwait.Deadline{Runtime: times[0], Deadline: times[1], Period: times[2]}
	if d.Runtime > d.Deadline || d.Deadline > d.Period {
		return errors.New("wants runtime <= deadline <= period")
	}
	r.Deadline = d
	return nil
}

// days is a flag with a time that may start with a number of days.
type days time.Duration

func (d *days) Type() string { return "duration" }

func (d *days) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *days) Set(s string) error {
	var whole time.Duration
	rest := s
	if number, after, found := strings.Cut(s, "d"); found {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return fmt.Errorf("%.20q is no time such as 10s, 1h or 30d", s)
		}
		whole, rest = time.Duration(n)*24*time.Hour, after
	}
	if rest == "" && rest != s {
		*d = days(whole)
		return nil
	}
	part, err := time.ParseDuration(rest)
	if err != nil || whole > 0 && part < 0 {
		return fmt.Errorf("%.20q is no time such as 10s, 1h or 30d", s)
	}
	*d = days(whole + part)
	return nil
}

// Microseconds are a flag with a number of them, which is off when not given.
type microseconds struct{ us *int32 }

func (m *microseconds) Type() string { return "US" }

func (m *microseconds) String() string {
	if m.us == nil {
		return ""
	}
	return strconv.Itoa(int(*m.us))
}

func (m *microseconds) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return errors.New("use a number of microseconds, from 0")
	}
	us := int32(n)
	m.us = &us
	return nil
}
