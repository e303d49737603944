// SPDX-License-Identifier: GPL-2.0-only

// Package load starts the programs that a receiver has to compete with.
package load

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Load is a program beside a run.
type Load struct {
	CPU  int      `json:"cpu"` // to which it and its children are bound, or AnyCPU
	Args []string `json:"args"`
}

// AnyCPU binds a load to none.
const AnyCPU = -1

// Lead is how long before the run a load is started.
const Lead = 500 * time.Millisecond

const cpuFlag = "--cpu"

// Parse reads [--cpu N] PROGRAM [ARGUMENT]...
func Parse(words []string) (*Load, error) {
	l := &Load{CPU: AnyCPU, Args: words}
	if len(words) > 0 && words[0] == cpuFlag {
		if len(words) == 1 {
			return nil, errors.New("want a number after --cpu")
		}
		cpu, err := strconv.ParseUint(words[1], 10, 10)
		if err != nil {
			return nil, fmt.Errorf("--cpu %.40q: want the number of a CPU", words[1])
		}
		l.CPU, l.Args = int(cpu), words[2:]
	}
	if len(l.Args) == 0 || strings.HasPrefix(l.Args[0], "-") {
		return nil, errors.New("want [--cpu N] and a program with its arguments")
	}
	return l, nil
}

// String is what [Parse] reads.
func (l *Load) String() string {
	text := strings.Join(l.Args, " ")
	if l.CPU != AnyCPU {
		text = fmt.Sprintf("%s %d %s", cpuFlag, l.CPU, text)
	}
	return text
}

// Start starts the program in a session of its own. It returns at once.
func (l *Load) Start(attr os.ProcAttr) (*os.Process, error) {
	attr.Sys = &syscall.SysProcAttr{Setsid: true}
	if l.CPU == AnyCPU {
		return l.start(&attr)
	}
	// A child inherits the affinity of the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, bound unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("start load: read affinity: %w", err)
	}
	bound.Set(l.CPU)
	if err := unix.SchedSetaffinity(0, &bound); err != nil {
		return nil, fmt.Errorf("start load: bind to CPU %d: %w (is it online?)", l.CPU, err)
	}
	p, err := l.start(&attr)
	if rerr := unix.SchedSetaffinity(0, &before); rerr != nil {
		runtime.LockOSThread() // the thread ends with its goroutine
		err = errors.Join(err, fmt.Errorf("start load: restore affinity: %w", rerr))
	}
	return p, err
}

func (l *Load) start(attr *os.ProcAttr) (*os.Process, error) {
	p, err := os.StartProcess(l.Args[0], l.Args, attr)
	if err != nil {
		return nil, fmt.Errorf("start load: %w", err)
	}
	return p, nil
}
