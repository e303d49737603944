// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// The tokens.
const (
	goOn = 1
	end  = 2
)

// Invited tells whether this process was started by [Ring.Run].
func Invited() bool { return os.Getenv(variable) != "" }

// Join takes this process's place in a ring until its end; the first member
// writes the times to w.
func Join(w io.Writer) error {
	var p place
	if err := json.Unmarshal([]byte(os.Getenv(variable)), &p); err != nil {
		return fmt.Errorf("environment variable %s: %w", variable, err)
	}
	runtime.LockOSThread()
	in, out := 3, 4
	switch {
	case p.Overhead:
		return p.alone(w)
	case p.Threads:
		links, err := newLinks(p.Procs, p.Eventfd)
		if err != nil {
			return err
		}
		defer closeLinks(links)
		// A thread in a raw system call keeps its place in the scheduler.
		runtime.GOMAXPROCS(p.Procs + 2)
		for i := 1; i < p.Procs; i++ {
			in, out := int(links[i].r.Fd()), int(links[(i+1)%p.Procs].w.Fd())
			member := p
			go func() {
				runtime.LockOSThread()
				if err := member.follow(in, out); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1) // the first would wait for ever
				}
			}()
		}
		return p.lead(w, int(links[0].r.Fd()), int(links[1].w.Fd()))
	case p.Index > 0:
		return p.follow(in, out)
	}
	return p.lead(w, in, out)
}

// settle binds the calling thread and returns its array.
func (p *place) settle() ([]int64, error) {
	var set unix.CPUSet
	set.Set(p.CPU)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("pin to CPU %d: %w", p.CPU, err)
	}
	if err := fifo(p.Priority); err != nil {
		return nil, err
	}
	data := make([]int64, p.Bytes/8)
	for i := range data {
		data[i] = int64(i) // so that each page is there
	}
	return data, nil
}

func fifo(priority int) error {
	if priority == 0 {
		return nil
	}
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(priority)}
	if err := unix.SchedSetAttr(0, &attr, 0); err != nil {
		return fmt.Errorf("SCHED_FIFO priority %d refused (needs CAP_SYS_NICE or RLIMIT_RTPRIO): %w", priority, err)
	}
	return nil
}

// CanFIFO tells by its error why threads of this process cannot have a
// priority of SCHED_FIFO; it tries on a thread that ends.
func CanFIFO(priority int) error {
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked
		failed <- fifo(priority)
	}()
	return <-failed
}

// touch reads all of data. The sum is kept, or the compiler would leave it out.
func (p *place) touch(data []int64) {
	for _, v := range data {
		p.sum += v
	}
}

func (p *place) follow(in, out int) error {
	data, err := p.settle()
	for err == nil {
		var token uint64
		if token, err = sys.ReadToken(in); err != nil {
			break
		}
		p.touch(data)
		if err = sys.WriteToken(out, token); token == end {
			break
		}
	}
	return err
}

func (p *place) lead(w io.Writer, in, out int) error {
	data, err := p.settle()
	if err != nil {
		return err
	}
	pass := func(token uint64) error {
		err := sys.WriteToken(out, token)
		if err == nil {
			_, err = sys.ReadToken(in)
		}
		p.touch(data)
		return err
	}
	// The last token comes back too: the member before would find nobody.
	return p.time(w, func() error { return pass(goOn) }, func() error { return pass(end) })
}

// alone does the same work as all members together, without a switch.
func (p *place) alone(w io.Writer) error {
	links, err := newLinks(p.Procs, p.Eventfd)
	if err != nil {
		return err
	}
	defer closeLinks(links)
	data, err := p.settle()
	if err != nil {
		return err
	}
	fds := make([][2]int, p.Procs)
	for i, l := range links {
		fds[i] = [2]int{int(l.r.Fd()), int(l.w.Fd())}
	}
	return p.time(w, func() error {
		for _, fd := range fds {
			if err := sys.WriteToken(fd[1], goOn); err != nil {
				return err
			}
			if _, err := sys.ReadToken(fd[0]); err != nil {
				return err
			}
			p.touch(data)
		}
		return nil
	}, func() error { return nil })
}

// time measures the repetitions and writes their times.
func (p *place) time(w io.Writer, round, last func() error) error {
	ns, err := repeat(round, p.Rounds, p.Repeats)
	if err != nil {
		return err
	}
	if err := last(); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(ns)
}
