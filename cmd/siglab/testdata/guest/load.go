// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	every = 37 * time.Millisecond // not a multiple of a sender's period
	held  = "1000000"             // ns, longer than any other latency
)

// interruptsOff runs a program and meanwhile keeps interrupts off on CPU 0
// again and again, by the module irqsoff, in a thread named holder.
func interruptsOff(module string, program []string) {
	f, err := os.Open(module)
	check(err)
	check(unix.FinitModule(int(f.Fd()), "", 0))
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	check(cmd.Start())
	go func() {
		runtime.LockOSThread()
		var first unix.CPUSet
		first.Set(0)
		check(unix.SchedSetaffinity(0, &first))
		check(os.WriteFile("/proc/thread-self/comm", []byte("holder"), 0))
		for {
			time.Sleep(every)
			check(os.WriteFile("/sys/module/irqsoff/parameters/hold_ns", []byte(held), 0))
		}
	}()
	err = cmd.Wait()
	if trace, err := os.ReadFile("run/trace.txt"); err == nil {
		fmt.Fprintf(os.Stderr, "%s", trace)
	}
	if cmd.ProcessState.Exited() {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	check(err)
}
