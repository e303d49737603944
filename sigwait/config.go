// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import "time"

// A Source sends the signals.
type Source string

// The sources.
const (
	SourceKernel Source = "kernel" // the siglat module, by its device; needs the right to open it
	SourceUser   Source = "user"   // a sender thread of this process, by rt_tgsigqueueinfo(2); needs no rights
	// SourceTimer sends nothing: threads sleep until absolute times by
	// clock_nanosleep(2), and the latency of a wake-up counts from its expiry.
	// It needs no rights.
	SourceTimer Source = "timer"
)

// A Policy is a scheduling policy of sched(7).
type Policy string

// The policies. An empty Policy leaves the thread as it is.
const (
	PolicyOther Policy = "other" // SCHED_OTHER
	PolicyFIFO  Policy = "fifo"  // SCHED_FIFO, priority 1 to 99; needs CAP_SYS_NICE or RLIMIT_RTPRIO
	PolicyRR    Policy = "rr"    // SCHED_RR, likewise
	// PolicyDeadline is SCHED_DEADLINE with Config.Deadline; needs CAP_SYS_NICE
	// and a thread that is free to run on all CPUs of its root domain.
	PolicyDeadline Policy = "deadline"
)

// A Deadline is what SCHED_DEADLINE reserves: in each Period the thread gets
// Runtime on a CPU within Deadline; see sched(7).
type Deadline struct{ Runtime, Deadline, Period time.Duration }

// A Clock is the clock of the two time stamps of a signal.
type Clock string

// The clocks. A step of CLOCK_REALTIME during a run looks like a latency.
const (
	ClockMonotonic Clock = "monotonic"
	ClockRealtime  Clock = "realtime"
)

// A Context is where the module stamps and sends, see kmod/siglat.h.
type Context string

// The contexts; the module resolves ContextAuto.
const (
	ContextAuto    Context = "auto"
	ContextSoftIRQ Context = "softirq"
	ContextHardIRQ Context = "hardirq"
	ContextThread  Context = "thread"
	ContextUser    Context = "user"  // effective context of SourceUser
	ContextTimer   Context = "timer" // effective context of SourceTimer: the kernel's own timers
)

// A Mode is whom the module's timer serves: the three modes of Xenomai's
// latency.
type Mode string

// The modes. In the last two the module takes both stamps itself, there is no
// receiving thread, and a latency counts from the expiry of the timer.
const (
	ModeUser    Mode = "user"    // a signal to the receiving thread
	ModeKthread Mode = "kthread" // a SCHED_FIFO thread of the module's own, on the timer's CPU
	ModeIRQ     Mode = "irq"     // nobody: the timer's callback stamps itself
)

// AnyCPU as a CPU number leaves the choice to the kernel.
const AnyCPU = -1

// A Config says what [Run] shall measure.
type Config struct {
	Source   Source
	Mode     Mode   // for SourceKernel; empty is ModeUser
	Receiver string // name of one of [Receivers]; not for SourceTimer and other modes
	Device   string // path of the module's device, for SourceKernel

	CPU      int      // of the receiving thread, or AnyCPU
	CPUs     []int    // for SourceTimer: a thread on each; none: one, as CPU says
	TimerCPU int      // of the timer or sender; AnyCPU: where the receiver runs when it starts the timer
	Policy   Policy   // ModeKthread: PolicyFIFO for Priority, or empty for the module's default
	Priority int      // 1 to 99 for PolicyFIFO and PolicyRR, else 0
	Deadline Deadline // for PolicyDeadline

	// DMALatencyUS is the longest time in us that an idle CPU may take to wake
	// up while the run lasts, of all CPUs (/dev/cpu_dma_latency, mostly for
	// root); nil leaves that alone.
	DMALatencyUS *int32

	Period  time.Duration // between two signals
	Count   uint64        // signals to send, expiries of each thread of SourceTimer; 0: until the context of Run ends
	Clock   Clock
	Context Context // for SourceKernel

	// Segments asks for the parts of every sample's path and for latencies of
	// any length, by the module's event stream. The module then reads the
	// clock and keeps an event after each signal, which a receiver on the
	// timer's CPU waits for. Needs SourceKernel and ClockMonotonic.
	Segments bool

	// Prompt passes samples on after each signal, or each millisecond, rather
	// than four times a second. That wakes up another thread of the process
	// as often.
	Prompt bool

	// Progress, if any, is called after each batch of samples, from the
	// goroutine that calls Run, with what is accounted for until then: Sent is
	// Received + Lost, and no count but Lost's and Sent's can be too high.
	// Those two are where a signal comes after a later one.
	Progress func(Counts)

	events   bool // the event stream is needed
	noSignal bool // the module sends none: every expiry is an event
}

// A Sample is one received signal.
type Sample struct {
	Seq        uint64 // from 0, in the order of sending
	ReceivedNS int64  // CLOCK_MONOTONIC or CLOCK_REALTIME as configured, ns
	LatencyNS  int64  // received - sent, ns; meaningless unless Valid
	CPU        int    // that ran the first instructions, -1 when unknown
	TID        int    // thread that received it; for the receiver notify, the one that it was sent to
	TimerCPU   int    // of the timer or sender, -1 when unknown
	// Valid is false where the two stamps do not give a latency: only the
	// nanosecond field travels with a signal, so that a difference of more
	// than half a second cannot be told from a step of the clock. A duplicate
	// has no latency.
	Valid bool

	// Overruns are the periods skipped just before, where the event of the
	// expiry was found.
	Overruns uint64

	// With Segments, where the event of the signal was found:
	HasParts bool
	TimerNS  int64 // fired - expires
	ModuleNS int64 // sent - fired
}

// Effective is what was in force, read back from the kernel.
type Effective struct {
	Policy    Policy
	Priority  int
	Deadline  Deadline
	CPUs      []int // affinity of the receiving thread; of SourceTimer's, all together
	TimerCPU  int   // that served the last expiry, or -1
	Context   Context
	Stamp     string // "vdso", "syscall" or "portable": how the clock is read
	MemLocked bool   // ring and stacks are locked in memory

	DMALatencyUS *int32 // in force, nil where none was asked for
}

// Counts tells what became of every signal. Sent + Refused are the expiries
// of the timer, and Received + Lost = Sent.
type Counts struct {
	Sent       uint64 // accepted by the kernel
	Received   uint64
	Lost       uint64 // sent and never received
	Refused    uint64 // not accepted by the kernel, as when the queue is full
	Overruns   uint64 // periods without an expiry of their own
	Duplicates uint64 // sequence number seen before
	Reordered  uint64 // sequence number lower than one before
	Invalid    uint64 // samples that are not Valid, without duplicates
	WrongCPU   uint64 // received outside of the asked affinity
	RingDrops  uint64 // received, but not stamped: the ring was full
	EventDrops uint64 // events overwritten before they were read: samples without parts
}

// A Result is what a run gives beside its samples.
type Result struct {
	Effective Effective
	Counts    Counts
	Module    string // version of the module's interface, empty without
	Complete  bool   // the asked count was sent and accounted for
	Warnings  []string
}
