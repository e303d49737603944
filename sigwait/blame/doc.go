// SPDX-License-Identifier: GPL-2.0-only

// Package blame tells who is to blame for a latency: which task or interrupt
// had the CPU while a signal was on its way, and in which part of the way.
//
// A [Tracer] collects marks of what the kernel does on some CPUs; the marks
// come from probes that the module siglat puts on the kernel's tracepoints as
// long as a Tracer is open. [Tracer.Explain] lays them along the way of one
// sample.
package blame
