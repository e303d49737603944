// SPDX-License-Identifier: GPL-2.0-only

// Guest does in a virtual machine what its first argument says.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func main() {
	switch os.Args[1] {
	case "talk": // both outputs, an exit status of its own
		fmt.Println("to stdout", os.Args[2:])
		fmt.Fprintln(os.Stderr, "to stderr", os.Getenv("GREETING"))
		os.Exit(42)
	case "cat": // a packed file
		data, err := os.ReadFile(os.Args[2])
		check(err)
		os.Stdout.Write(data)
	case "much": // more than a pipe holds
		for i := range 40000 {
			fmt.Println("line", i)
		}
	case "killed":
		check(syscall.Kill(os.Getpid(), syscall.SIGTERM))
		time.Sleep(time.Hour)
	case "orphan": // leaves a child that holds the outputs and the device
		dev, err := os.Open("/dev/siglat")
		check(err)
		_, err = os.StartProcess("/bin/guest", []string{"guest", "forever"},
			&os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr, dev}})
		check(err)
		fmt.Println("left")
	case "forever":
		signalForever()
	case "crash":
		check(os.WriteFile("/proc/sysrq-trigger", []byte("c"), 0))
		time.Sleep(time.Hour)
	case "clock": // both CPUs busy, then the time, to the nanosecond
		spin()
	case "late": // a module, a program and its arguments
		interruptsOff(os.Args[2], os.Args[3:])
	case "host":
		facts()
	}
}

func signalForever() {
	for {
		time.Sleep(time.Hour)
	}
}

func spin() {
	var wg sync.WaitGroup
	sums := make([]uint64, runtime.NumCPU())
	for i := range sums {
		wg.Go(func() {
			for j := range uint64(20_000_000) {
				sums[i] = sums[i]*6364136223846793005 + j
			}
		})
	}
	wg.Wait()
	fmt.Println(len(sums), sums[0], time.Now().UnixNano())
}

func facts() {
	for _, path := range []string{
		"/dev/siglat", "/proc/self", "/sys/kernel", "/sys/kernel/debug/sched",
		"/sys/kernel/tracing/events", "/dev/shm", "/tmp", "/dev/null",
	} {
		_, err := os.Stat(path)
		fmt.Println(path, err == nil)
	}
	name, _ := os.Hostname()
	wd, _ := os.Getwd()
	fmt.Println(name, wd, runtime.NumCPU())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
