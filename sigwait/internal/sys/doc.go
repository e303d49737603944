// SPDX-License-Identifier: GPL-2.0-only

// Package sys holds everything that is not plain Go: the module's interface,
// system calls, the vDSO clock, and the receiving loops in assembly.
package sys
