// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"time"

	"siglat/analysis"
)

// Version is the version of run.json that this package writes.
const Version = 1

// Names of the segments of a sample's path, as tags in latency.hlog and keys
// of Run.Segments. Latency is received - sent; Total is received - expires.
const (
	SegmentTimer   = "timer"   // fired - expires
	SegmentModule  = "module"  // sent - fired
	SegmentLatency = "latency" // received - sent
	SegmentTotal   = "total"   // received - expires
)

// A Run is the content of run.json: one measurement with what is needed to
// judge and repeat it. All times are integer nanoseconds.
type Run struct {
	Version   int                         `json:"version"`
	Name      string                      `json:"name"`
	Start     time.Time                   `json:"start"`      // wall clock of the first instruction of the run
	ElapsedNS int64                       `json:"elapsed_ns"` // CLOCK_MONOTONIC, start to end of recording
	Complete  bool                        `json:"complete"`   // false when the run was ended before its count or duration
	Command   []string                    `json:"command"`    // argv that recorded the run
	Tool      string                      `json:"tool"`       // recorder and its version
	GoVersion string                      `json:"go_version"` // that the recorder was built with
	Config    Config                      `json:"config"`     // what was asked for
	Effective Effective                   `json:"effective"`  // what was in force, read back
	Host      Host                        `json:"host"`
	Clock     string                      `json:"clock"` // "virtual" or "real"
	Counts    Counts                      `json:"counts"`
	Latency   analysis.Summary            `json:"latency_ns"`
	Segments  map[string]analysis.Summary `json:"segments"`
	CPUs      []CPULatency                `json:"cpus,omitempty"`     // of the source timer, one for each CPU
	Worst     []Sample                    `json:"worst"`              // highest latency first
	Longest   []Sample                    `json:"longest,omitempty"`  // with blame: longest way from the expiry first
	Culprits  []Culprit                   `json:"culprits,omitempty"` // most samples first, then longest
	Import    *Import                     `json:"import,omitempty"`
	Members   []Member                    `json:"members,omitempty"` // of a merged run, by start
	Warnings  []string                    `json:"warnings"`
}

// A CPULatency is the part of a run's latencies that one CPU has.
type CPULatency struct {
	CPU     int              `json:"cpu"`
	Latency analysis.Summary `json:"latency_ns"`
}

// A Deadline is a reservation of SCHED_DEADLINE, see sched(7).
type Deadline struct {
	RuntimeNS  int64 `json:"runtime_ns"`
	DeadlineNS int64 `json:"deadline_ns"`
	PeriodNS   int64 `json:"period_ns"`
}

// Config is what the user asked for. CPU numbers are -1 where none was asked.
type Config struct {
	Source     string `json:"source"`         // kernel, user or timer
	Mode       string `json:"mode,omitempty"` // of the source kernel: user, kthread or irq
	Receiver   string `json:"receiver"`       // sigwait, pause, busy, ...; nanosleep for the source timer, else the mode
	CPU        int    `json:"cpu"`
	CPUs       []int  `json:"cpus,omitempty"` // of the source timer's threads
	TimerCPU   int    `json:"timer_cpu"`
	Policy     string `json:"policy"` // other, fifo, rr, deadline; empty where none was asked
	Priority   int    `json:"priority"`
	PeriodNS   int64  `json:"period_ns"`
	Count      uint64 `json:"count"`       // 0: no end by count
	DurationNS int64  `json:"duration_ns"` // 0: no end by time
	StampClock string `json:"stamp_clock"` // monotonic or realtime
	Context    string `json:"context"`     // auto, softirq, hardirq or thread

	Deadline     *Deadline `json:"deadline,omitempty"`       // of the policy deadline
	DMALatencyUS *int32    `json:"dma_latency_us,omitempty"` // limit for idle states, us
	Blame        bool      `json:"blame,omitempty"`          // the kernel was traced, which takes time
}

// Effective is the configuration read back from the kernel at the start of
// the run.
type Effective struct {
	Policy     string `json:"policy"`
	Priority   int    `json:"priority"`
	CPUs       []int  `json:"cpus"`      // affinity of the receiving thread, or of all the source timer's
	TimerCPU   int    `json:"timer_cpu"` // CPU that really served the timer, -1 when unknown
	Placement  string `json:"placement"` // same, other or floating: receiver's CPU against the timer's
	Context    string `json:"context"`   // softirq, hardirq, thread; user or timer for these sources
	Receiver   string `json:"receiver"`
	Stamp      string `json:"stamp"` // how the arrival is stamped: "vdso", "syscall" or "portable"; "module" where the module does
	MemLocked  bool   `json:"mem_locked"`
	StampClock string `json:"stamp_clock"`

	Deadline     *Deadline `json:"deadline,omitempty"`
	DMALatencyUS *int32    `json:"dma_latency_us,omitempty"`
}

// Counts tells what became of every signal.
// Received + Lost + Refused = Sent + Refused = expiries of the timer; a run
// in which this does not hold is an error of the tool and is reported as one.
type Counts struct {
	Sent       uint64 `json:"sent"`       // accepted by the kernel
	Received   uint64 `json:"received"`   // stamped by the receiver
	Lost       uint64 `json:"lost"`       // sent and never received
	Refused    uint64 `json:"refused"`    // not accepted by the kernel (queue full)
	Overruns   uint64 `json:"overruns"`   // periods without an expiry of their own
	Duplicates uint64 `json:"duplicates"` // sequence number seen before
	Reordered  uint64 `json:"reordered"`  // sequence number lower than one before
	Invalid    uint64 `json:"invalid"`    // received, but without a trustworthy latency
	WrongCPU   uint64 `json:"wrong_cpu"`  // received on a CPU outside the asked affinity
	RingDrops  uint64 `json:"ring_drops"` // received, latency not kept: recorder too slow
}

// A Sample is one remarkable signal.
type Sample struct {
	Seq        uint64           `json:"seq"`
	ReceivedNS int64            `json:"received_ns"` // CLOCK_MONOTONIC, since the start of the run
	LatencyNS  int64            `json:"latency_ns"`
	CPU        int              `json:"cpu"`             // -1 when unknown
	Parts      map[string]int64 `json:"parts,omitempty"` // per segment, where the event stream told them
	Blame      *Blame           `json:"blame,omitempty"`
}

// Host holds the facts about a machine that decide its latency. A fact that
// could not be read is empty, never guessed.
type Host struct {
	Hostname     string            `json:"hostname"`
	Kernel       string            `json:"kernel"`       // uname -r
	KernelBuild  string            `json:"kernel_build"` // uname -v
	PreemptRT    bool              `json:"preempt_rt"`
	Arch         string            `json:"arch"` // uname -m
	CPUModel     string            `json:"cpu_model"`
	CPUKHz       int64             `json:"cpu_khz"`     // highest frequency, 0 when unknown
	CPUsOnline   string            `json:"cpus_online"` // kernel list format
	SMT          string            `json:"smt"`         // on, off, notsupported, ...
	Governor     string            `json:"governor"`    // cpufreq, of the receiver's CPU
	IdleStates   []string          `json:"idle_states"` // cpuidle, of the receiver's CPU, enabled ones
	Clocksource  string            `json:"clocksource"`
	Isolated     string            `json:"isolated"` // isolcpus
	NoHzFull     string            `json:"nohz_full"`
	Hypervisor   string            `json:"hypervisor"`    // empty on bare metal
	RTRuntimeUS  int64             `json:"rt_runtime_us"` // sched_rt_runtime_us, -1 for no throttling
	TimerSlackNS int64             `json:"timer_slack_ns"`
	Cmdline      string            `json:"cmdline"`
	Module       string            `json:"module"`        // srcversion or version of siglat, empty without
	Lab          map[string]string `json:"lab,omitempty"` // qemu, cpu, image_sha256, ... in a virtual machine of siglab
}
