// SPDX-License-Identifier: GPL-2.0-only

// Package baseline holds, writes and reads what sigwait baseline measured of a
// machine: the file baseline.json of a run directory.
package baseline

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"siglat/analysis/atomicfile"
)

// File is the name in a run directory.
const File = "baseline.json"

// Version of the file's format.
const Version = 1

// A Baseline is what baseline.json holds. All times are ns. What is nil could
// not be measured there.
type Baseline struct {
	Version           int       `json:"version"`
	Clock             string    `json:"clock"` // "real" or "virtual" time
	CPU               int       `json:"cpu"`
	Priority          int       `json:"priority"` // of SCHED_FIFO, 0: SCHED_OTHER
	Threads           bool      `json:"threads"`  // the rings are of threads, not processes
	TimerResolutionNS int64     `json:"timer_resolution_ns"`
	PingPong          Switch    `json:"ping_pong"` // through pipes
	Eventfd           Switch    `json:"eventfd"`
	Futex             *Switch   `json:"futex,omitempty"`
	Across            *Switch   `json:"across,omitempty"` // by futex, to and from another CPU
	Signal            *Switch   `json:"signal,omitempty"` // of threads, by the signal
	Matrix            []Switch  `json:"matrix"`
	Calls             []Call    `json:"calls"`
	PeriodNS          int64     `json:"period_ns,omitempty"` // of the timers
	Timers            []Latency `json:"timers,omitempty"`    // as cyclictest, a thread on each CPU
	Module            *Module   `json:"module,omitempty"`
	Warnings          []string  `json:"warnings"`
}

// A Latency is how long after the expiry of a timer it was served.
type Latency struct {
	CPU   int    `json:"cpu"`
	Count uint64 `json:"count"`
	MinNS int64  `json:"min_ns"`
	P50NS int64  `json:"p50_ns"`
	MaxNS int64  `json:"max_ns"`
}

// Module is what the kernel module measured of itself.
type Module struct {
	IRQ     Latency `json:"irq"`     // until the timer's callback
	Kthread Latency `json:"kthread"` // until a thread of the module, which the callback wakes
	// RestNS is the rest of the timer's interrupt: from the stamp of the
	// callback until the interrupted thread goes on.
	RestNS int64 `json:"rest_ns"`
}

// A Switch is the median cost of a switch in a ring of processes.
type Switch struct {
	Procs      int   `json:"procs"`
	Bytes      int   `json:"bytes"` // that each process touches
	Rounds     int   `json:"rounds"`
	Repeats    int   `json:"repeats"`
	PassNS     int64 `json:"pass_ns"`     // from process to process
	OverheadNS int64 `json:"overhead_ns"` // the same within one process
	SwitchNS   int64 `json:"switch_ns"`   // the difference; may be below zero where noise is above it
}

// A Call is the median cost of what one thread does alone.
type Call struct {
	Name string `json:"name"`
	NS   int64  `json:"ns"`
}

// Names of calls with a meaning of their own.
const (
	CostSystemCall = "system call (getppid)"
	CostClockRead  = "clock read"
	CostMask       = "signal mask set"
	CostBurst      = "pipe written and read, a page at a time"
	CostCheck      = "signal number 0 sent: only checked"
	CostTaken      = "signal sent and taken by sigtimedwait"
	CostRead       = "signal sent and read from a signalfd"
	CostCaught     = "signal sent and caught by a handler"
	CostStamped    = "signal sent until its handler has read the clock"
	CostWakeUp     = "wake-up by futex, as it delays who wakes"
	CostHandler    = "signal handler, without the sending"
)

// Cost returns that of a call; ok is false where it was not measured.
func (b *Baseline) Cost(name string) (ns int64, ok bool) {
	for _, c := range b.Calls {
		if c.Name == name {
			return c.NS, true
		}
	}
	return 0, false
}

// NewSwitch returns the figures of a ring of procs processes whose repetitions
// of rounds took pass, and took overhead within one process.
func NewSwitch(procs, bytes, rounds int, pass, overhead []int64) Switch {
	s := Switch{Procs: procs, Bytes: bytes, Rounds: rounds, Repeats: len(pass),
		PassNS: PerRound(pass, procs*rounds), OverheadNS: PerRound(overhead, procs*rounds)}
	s.SwitchNS = s.PassNS - s.OverheadNS
	return s
}

// PerRound returns the median of totals, of an even number the lower one,
// divided by n and rounded; 0 for none.
func PerRound(totals []int64, n int) int64 {
	if len(totals) == 0 || n < 1 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(totals))
	return (sorted[(len(sorted)-1)/2] + int64(n)/2) / int64(n)
}

// Write writes the file into a directory, as a whole or not at all. Errors
// name the file.
func (b *Baseline) Write(dir string) error {
	return atomicfile.Write(filepath.Join(dir, File), b.Encode)
}

// Encode writes the JSON of the file.
func (b *Baseline) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// Read reads the file of a directory. The error is [os.ErrNotExist] where
// there is none.
func Read(dir string) (*Baseline, error) {
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	b := new(Baseline)
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("read baseline %s: %w", path, err)
	}
	if b.Version != Version {
		return nil, fmt.Errorf("read baseline %s: version %d of the format, this program knows %d", path, b.Version, Version)
	}
	return b, nil
}
