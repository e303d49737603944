// SPDX-License-Identifier: GPL-2.0-only

package sys

// This file mirrors kmod/siglat.h, which documents every field with its unit
// and clock; abi_test.go compares the two.

// ABIVersion is the version of the interface that this package speaks.
const ABIVersion = 1

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
)

// Bits of Stats.State.
const (
	StateRunning = 0x1
	StateDone    = 0x2
	StateGone    = 0x4
)

// Numbers of the ioctl requests.
const (
	IOCInfo      = 0x8040b800
	IOCGetConfig = 0x8040b801
	IOCSetConfig = 0x4040b802
	IOCStart     = 0x0000b803
	IOCStop      = 0x0000b804
	IOCStats     = 0x8040b805
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
