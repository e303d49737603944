// SPDX-License-Identifier: GPL-2.0-only

// Package sigwait receives signals and stamps their arrival, in pure Go and
// without cgo, with the cost of a careful C program.
//
// [Run] uses one thread of its own for receiving. It enters the runtime's
// system-call state once and stays in assembly until the run ends: it waits,
// reads the clock as its first instructions after the wait, and writes into a
// ring outside of the Go heap. The garbage collector does not wait for that
// thread and the scheduler does not preempt it. An ordinary goroutine reads
// the ring and passes batches of samples on.
//
// The package sends no signal to a process that did not ask for it and leaves
// affinity, scheduling policy and signal mask of the caller's threads as they
// were, with one exception: while a run lasts, the other threads of the
// process keep off the receiver's CPU if they may run elsewhere.
package sigwait
