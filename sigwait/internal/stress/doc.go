// SPDX-License-Identifier: GPL-2.0-only

// Package stress wears the kernel module down: [TestFuzz] runs random
// requests, near-valid and wrong ones, from the threads of several processes
// that are stopped, killed and replaced meanwhile, while a CPU goes off line
// and comes back; [TestSoak] takes a million signals at the smallest period
// and accounts for each. What the kernel's own checks say of it is read from
// its log by siglab, so kernels with KASAN and lockdep show most:
//
//	scripts/debug/test.sh
//
// The tests carry the build tag vm and run in a virtual machine of the lab.
// In virtual time a seed repeats a run exactly.
package stress
