// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"errors"
	"fmt"
	"slices"
)

// kept marks of each CPU, at least, can be explained.
const kept = 32768

// A source of marks.
type source interface {
	// fill gives the i-th CPU the marks that are there and returns how many
	// were overwritten, or at least that some were.
	fill(h *history, i int) (lost uint64, err error)
	close() error
}

// A Tracer collects marks of some CPUs. It is not safe for concurrent use.
type Tracer struct {
	source source
	cpus   []*history
	lost   uint64
}

// Open begins to trace CPUs; of wake-ups and signals only those of this
// process are used. It does so by the module's device, which it must have the
// right to open, as [sigwait.Probe] does, and with CAP_PERFMON; while such a Tracer is open each
// switch of tasks and each interrupt on these CPUs takes some tens of
// nanoseconds longer. Where there is no such module, it makes an instance of
// tracefs, which needs root and costs several times as much; see
// [Tracer.Costly]. The error is one line that says of both ways why not, as
// when a right or a tracepoint of the kernel is missing.
func Open(device string, cpus []int) (*Tracer, error) {
	t := newTracer(cpus)
	var moduleErr, fsErr error
	if t.source, moduleErr = openModule(device, t.numbers()); moduleErr == nil {
		return t, nil
	}
	if errors.Is(moduleErr, errNumbers) {
		return nil, moduleErr
	}
	if t.source, fsErr = openTracefs(t.numbers()); fsErr != nil {
		return nil, fmt.Errorf("by the module: %w; by tracefs: %w", moduleErr, fsErr)
	}
	return t, nil
}

func newTracer(cpus []int) *Tracer {
	cpus = slices.Clone(cpus)
	slices.Sort(cpus)
	t := &Tracer{}
	for _, cpu := range slices.Compact(cpus) {
		t.cpus = append(t.cpus, &history{cpu: cpu})
	}
	return t
}

// numbers returns the CPUs that are traced.
func (t *Tracer) numbers() (cpus []int) {
	for _, h := range t.cpus {
		cpus = append(cpus, h.cpu)
	}
	return cpus
}

// of returns what is known of a CPU, nil if it is not traced.
func (t *Tracer) of(cpu int) *history {
	i := slices.IndexFunc(t.cpus, func(h *history) bool { return h.cpu == cpu })
	if i < 0 {
		return nil
	}
	return t.cpus[i]
}

// Fill takes the marks that there are. What was marked before a sample was
// received is known after a Fill after that, unless Fill is called so rarely
// that marks are overwritten (the module keeps 16384 for each CPU); see
// [Tracer.Lost].
func (t *Tracer) Fill() error {
	for i, h := range t.cpus {
		lost, err := t.source.fill(h, i)
		t.lost += lost
		if err != nil {
			return err
		}
	}
	return nil
}

// Lost returns how many marks were overwritten before they were taken; of
// tracefs, how many times that happened.
func (t *Tracer) Lost() uint64 { return t.lost }

// Costly tells whether the marks come from tracefs.
func (t *Tracer) Costly() bool {
	_, costly := t.source.(*tracefs)
	return costly
}

// Close ends tracing and leaves nothing behind. It waits until no probe runs
// any more, some milliseconds.
func (t *Tracer) Close() error { return t.source.close() }
