// SPDX-License-Identifier: GPL-2.0-only

package sys

// This file mirrors kmod/siglat.h, which documents every field with its unit
// and clock; abi_test.go compares the two.

// ABIVersion is the version of the interface that this package speaks.
const ABIVersion = 3

// Values of Config.Mode.
const (
	ModeUser    = 0
	ModeKthread = 1
	ModeIRQ     = 2
)

// Values of Config.Context and Stats.Context.
const (
	ContextAuto    = 0
	ContextSoftIRQ = 1
	ContextHardIRQ = 2
	ContextThread  = 3
)

// Bits of Config.Flags.
const (
	FlagEvents = 0x1
	FlagsAll   = FlagEvents
)

// CPUCurrent as Config.CPU is the CPU on which Start is called.
const CPUCurrent = -1

// Bits of Info.Features.
const (
	FeaturePreemptRT = 0x1
	FeatureEvents    = 0x2
	FeatureSequence  = 0x4
	FeatureModes     = 0x8
	FeatureTrace     = 0x10
	FeaturePriority  = 0x20
)

// Bits of Stats.State.
const (
	StateRunning = 0x1
	StateDone    = 0x2
	StateGone    = 0x4
)

// TraceCPUs is how many CPUs Trace.CPUs has bits for.
const TraceCPUs = 1024

// Values of Mark.Kind.
const (
	MarkSwitch  = 1
	MarkWake    = 2
	MarkDeliver = 3
	MarkIRQ     = 4
	MarkSoftIRQ = 5
	MarkVector  = 6
)

// Numbers of the ioctl requests.
const (
	IOCInfo      = 0x8040b800
	IOCGetConfig = 0x8040b801
	IOCSetConfig = 0x4040b802
	IOCStart     = 0x0000b803
	IOCStop      = 0x0000b804
	IOCStats     = 0x8040b805
	IOCTrace     = 0xc0a0b806
	IOCMarks     = 0xc028b807
)

// Info is struct siglat_info.
type Info struct {
	ABIVersion  uint32
	Features    uint32
	MinPeriodNS uint64
	MaxPeriodNS uint64
	Signal      uint32
	Padding     [9]uint32
}

// Config is struct siglat_config.
type Config struct {
	Flags    uint32
	Mode     uint32
	Clock    uint32
	Context  uint32
	PeriodNS uint64
	Count    uint64
	CPU      int32
	Priority uint32
	Padding  [6]uint32
}

// Stats is struct siglat_stats.
type Stats struct {
	Expired   uint64
	Sent      uint64
	Refused   uint64
	Overruns  uint64
	Dropped   uint64
	LastErrno int32
	State     uint32
	CPU       int32
	Context   uint32
	Padding   uint64
}

// Event is struct siglat_event.
type Event struct {
	Seq       uint64
	ExpiresNS int64
	FiredNS   int64
	SentNS    int64
	DoneNS    int64
	CPU       uint32
	Kind      uint32
	Error     int32
	Overruns  uint32
	Padding   uint64
}

// Trace is struct siglat_trace.
type Trace struct {
	Flags   uint32
	Marks   uint32
	CPUs    [16]uint64
	TGID    int32
	Padding [5]uint32
}

// Mark is struct siglat_mark.
type Mark struct {
	TimeNS  int64
	BeginNS int64
	Seq     uint32
	Kind    uint32
	Number  uint32
	PID     int32
	Policy  uint32
	Prio    int32
	Comm    [16]uint8
	Padding uint64
}

// Marks is struct siglat_marks.
type Marks struct {
	Buffer   uint64
	CPU      uint32
	Next     uint32
	Count    uint32
	Lost     uint32
	Reserved uint64
	Padding  uint64
}
