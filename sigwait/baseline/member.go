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
	last = 2
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
	switch {
	case p.Overhead:
		return p.alone(w)
	case p.Threads:
		return p.threads(w)
	}
	at, err := p.Link.join(3, 4)
	if err != nil {
		return err
	}
	if p.Index > 0 {
		return p.follow(at)
	}
	return p.lead(w, at)
}

// threads is a ring within this process.
func (p *place) threads(w io.Writer) error {
	ends, done, err := p.ends(1)
	if err != nil {
		return err
	}
	defer done()
	// A thread in a raw system call keeps its place in the scheduler.
	runtime.GOMAXPROCS(p.Procs + 2)
	for i := 1; i < p.Procs; i++ {
		member := *p
		member.Index = i
		go func() {
			runtime.LockOSThread()
			if err := member.follow(ends[i]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1) // the first would wait for ever
			}
		}()
	}
	return p.lead(w, ends[0])
}

// ends returns for each member of a ring within this process an end that gives
// to the member so many places further.
func (p *place) ends(further int) (ends []end, done func(), err error) {
	if p.Link == Signal {
		all := newRoster(p.Procs)
		for i := range p.Procs {
			ends = append(ends, &signals{all: all, at: i, to: (i + further) % p.Procs})
		}
		return ends, func() {}, nil
	}
	wires, err := newWires(p.Procs, p.Link)
	if err != nil {
		return nil, nil, err
	}
	var from []*sys.Baton
	for _, l := range wires {
		if p.Link != Futex {
			break
		}
		b, err := sys.MapBaton(int(l.r.Fd()), p.Threads)
		if err != nil {
			closeWires(wires)
			return nil, nil, err
		}
		from = append(from, b)
	}
	for i, l := range wires {
		to := (i + further) % len(wires)
		if p.Link == Futex {
			ends = append(ends, batons{from[i], from[to]})
		} else {
			ends = append(ends, files{int(l.r.Fd()), int(wires[to].w.Fd())})
		}
	}
	return ends, func() { closeWires(wires) }, nil
}

// settle binds the calling thread and returns its array.
func (p *place) settle() ([]int64, error) {
	var set unix.CPUSet
	cpu := p.CPUs[p.Index%len(p.CPUs)]
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("pin to CPU %d: %w", cpu, err)
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

// enter is settle for a member with its end.
func (p *place) enter(at end) ([]int64, error) {
	data, err := p.settle()
	if s, ok := at.(*signals); ok && err == nil {
		err = s.enter()
	}
	return data, err
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

// A line of the caches holds so many words, on amd64 and on most of arm64.
const lineWords = 64 / 8

// touch reads a word of each cache line of data: to add up all of them takes
// longer than the lines take to come, and would hide that. The sum is kept, or
// the compiler would leave it out.
func (p *place) touch(data []int64) {
	var sum int64
	for i := 0; i < len(data); i += lineWords {
		sum += data[i]
	}
	p.sum += sum
}

func (p *place) follow(at end) error {
	data, err := p.enter(at)
	for err == nil {
		var token uint32
		if token, err = at.take(); err != nil {
			break
		}
		p.touch(data)
		if err = at.give(token); token == last {
			break
		}
	}
	return err
}

func (p *place) lead(w io.Writer, at end) error {
	data, err := p.enter(at)
	if err != nil {
		return err
	}
	pass := func(token uint32) error {
		err := at.give(token)
		if err == nil {
			_, err = at.take()
		}
		p.touch(data)
		return err
	}
	// The last token comes back too: the member before would find nobody.
	return p.time(w, func() error { return pass(goOn) }, func() error { return pass(last) })
}

// alone does the same work as all members together, without a switch.
func (p *place) alone(w io.Writer) error {
	ends, done, err := p.ends(0)
	if err != nil {
		return err
	}
	defer done()
	data, err := p.settle()
	if err != nil {
		return err
	}
	if _, ok := ends[0].(*signals); ok {
		self := &signals{all: newRoster(1)}
		if err := self.enter(); err != nil {
			return err
		}
		for i := range ends {
			ends[i] = self
		}
	}
	return p.time(w, func() error {
		for _, e := range ends {
			if err := e.give(goOn); err != nil {
				return err
			}
			if _, err := e.take(); err != nil {
				return err
			}
			p.touch(data)
		}
		return nil
	}, func() error { return nil })
}

// time measures the repetitions and writes their times.
func (p *place) time(w io.Writer, round, end func() error) error {
	ns, err := repeat(round, p.Rounds, p.Repeats)
	if err != nil {
		return err
	}
	if err := end(); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(ns)
}
