// SPDX-License-Identifier: GPL-2.0-only

package recording

import "time"

// A Blame tells where the time of one sample went.
type Blame struct {
	Wall        time.Time        `json:"wall"`     // when it was received
	BootNS      int64            `json:"boot_ns"`  // the same on CLOCK_BOOTTIME
	PartsNS     map[string]int64 `json:"parts_ns"` // timer, module, wakeup, switch, user, own, unknown; their sum is the whole way
	Unseen      []string         `json:"unseen"`   // parts that are not told apart: not zero, but within another or unknown
	Victim      Task             `json:"victim"`
	Culprit     *Task            `json:"culprit,omitempty"`     // had the CPU longest while the victim waited
	CulpritNS   int64            `json:"culprit_ns,omitempty"`  // how long
	Before      *Task            `json:"before,omitempty"`      // ran just before the victim
	Interrupted *Task            `json:"interrupted,omitempty"` // ran when the timer's interrupt came
	Interrupts  []Interrupt      `json:"interrupts"`            // during the way, longest first
	Ran         []Turn           `json:"ran,omitempty"`         // on the victim's CPU, from some time before the way to its end
}

// A Task is a thread; number 0 is the idle task.
type Task struct {
	Comm     string `json:"comm"`
	PID      int    `json:"pid"` // of the thread
	Policy   string `json:"policy"`
	Priority int    `json:"priority"` // 1 to 99 for real-time policies, else 0
	Nice     int    `json:"nice"`
}

// A Turn is a time in which one task had a CPU, in ns before the sample was
// received.
type Turn struct {
	Task   Task  `json:"task"`
	FromNS int64 `json:"from_ns"`
	ToNS   int64 `json:"to_ns"`
}

// An Interrupt sums up interrupts of one kind during a sample's way.
type Interrupt struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	NS    int64  `json:"ns"`
}

// A Culprit sums up what one name, with one policy and priority, did to the
// samples of a run.
type Culprit struct {
	Task    Task   `json:"task"`     // as in its worst sample
	Count   uint64 `json:"count"`    // samples that it is the culprit of
	TotalNS int64  `json:"total_ns"` // that these waited for it
	WorstNS int64  `json:"worst_ns"` // highest latency of these
}
