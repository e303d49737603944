// SPDX-License-Identifier: GPL-2.0-only

// Package selftest tests the kernel module through its own interface: every
// error of every request, every way in which a receiver can end, and the
// order of what it sends. The tests need root, /dev/siglat and two CPUs, take
// CPU 1 off line, and unload the module at the end, so they carry the build
// tag vm and run in a virtual machine of the lab:
//
//	go test -tags vm -exec 'build/bin/siglab exec --kernel 6.12 --' ./sigwait/internal/selftest
//
// They assert order, counts and errors; times only as multiples of a period,
// with virtual time in mind.
package selftest
