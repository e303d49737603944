// SPDX-License-Identifier: GPL-2.0-only

// Package baseline measures what a signal's latency is made of: switches
// between processes and the system calls of a signal.
//
// Switches are measured as by lat_ctx of lmbench (L. McVoy and C. Staelin,
// lmbench: Portable Tools for Performance Analysis, USENIX 1996): a token goes
// round a ring of processes, connected by pipes, on one CPU; each reads an array
// whenever it has the token. What one process takes to pass the token through
// as many pipes and to read the array, without a switch, is the overhead.
package baseline
