// SPDX-License-Identifier: GPL-2.0-only

// Package doctor looks for what on a host disturbs a measurement of latencies,
// and knows the remedies.
package doctor

import (
	"fmt"
	"io/fs"
	"strings"

	"siglat/analysis/recording"
	"siglat/cmd/internal/host"
)

// A Level tells how much a finding matters.
type Level string

// Levels, from harmless to harmful.
const (
	Good    Level = "good"    // as it should be
	Unknown Level = "unknown" // this host does not tell
	Note    Level = "note"    // disturbs some measurements, or a little
	Bad     Level = "bad"     // disturbs or prevents most of them
)

// A Finding is what one check says of the host. Effect and Remedy are empty
// where all is well.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	State  string `json:"state"`
	Effect string `json:"effect,omitempty"`
	Remedy string `json:"remedy,omitempty"` // a command, or what to do
}

// Limits are the resource limits of this process, setrlimit(2), and whether
// its capabilities lift them.
type Limits struct {
	RTPriority, PendingSignals uint64
	LockedBytes                uint64
	Nice, IPCLock              bool // CAP_SYS_NICE, CAP_IPC_LOCK
}

// A Host is what is examined.
type Host struct {
	Root   fs.FS // rooted like /
	CPU    int   // on which signals are to be received
	Device error // of opening the module's device for reading
	Limits Limits

	facts recording.Host
}

// Examine runs all checks, in a fixed order. It changes nothing.
func Examine(h Host) []Finding {
	h.facts = host.Read(h.Root, h.CPU)
	var found []Finding
	for _, c := range checks {
		f := c.look(&h)
		f.Check = c.name
		if f.Level == Good || f.Level == Unknown {
			f.Effect, f.Remedy = "", ""
		}
		if f.State == "" {
			f.State = "not known"
		}
		found = append(found, f)
	}
	return found
}

// checks are all checks, what matters most first.
var checks = []struct {
	name string
	look func(h *Host) Finding
}{
	{"module", module},
	{"Secure Boot", secureBoot},
	{"kernel", preemption},
	{"hypervisor", hypervisor},
	{"clock source", clocksource},
	{"governor", governor},
	{"idle states", idleStates},
	{"SMT sibling", sibling},
	{"isolation", isolation},
	{"interrupts", interrupts},
	{"RT throttling", throttling},
	{"RLIMIT_RTPRIO", rtPriority},
	{"RLIMIT_MEMLOCK", lockedMemory},
	{"RLIMIT_SIGPENDING", pendingSignals},
	{"timer slack", timerSlack},
	{"autogroup", autogroup},
	{"huge pages", hugePages},
}

func (h *Host) text(name string) string { return host.Text(h.Root, name) }

// Worst returns the worst level of all findings.
func Worst(found []Finding) Level {
	order := []Level{Good, Unknown, Note, Bad}
	worst := 0
	for _, f := range found {
		for i, l := range order {
			if f.Level == l {
				worst = max(worst, i)
			}
		}
	}
	return order[worst]
}

// when returns a level: good if so, else another.
func when(good bool, otherwise Level) Level {
	if good {
		return Good
	}
	return otherwise
}

// known is when for a state that may be empty because the host does not tell.
func known(state string, good bool, otherwise Level) Level {
	if state == "" {
		return Unknown
	}
	return when(good, otherwise)
}

// chosen returns the word in brackets of a list such as "always [never]".
func chosen(list string) string {
	_, after, _ := strings.Cut(list, "[")
	word, _, _ := strings.Cut(after, "]")
	return word
}

func (h *Host) onCPU(format string) string { return fmt.Sprintf(format, max(h.CPU, 0)) }
