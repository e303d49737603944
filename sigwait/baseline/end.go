// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// A Link is how the members of a ring pass the token on.
type Link string

// The links.
const (
	Pipe    Link = "pipe"
	Eventfd Link = "eventfd"
	Futex   Link = "futex"  // in memory that the processes share
	Signal  Link = "signal" // between threads only
)

var links = []Link{Pipe, Eventfd, Futex, Signal}

func (l Link) check() error {
	if !slices.Contains(links, l) {
		return fmt.Errorf("link %q: use one of %q", l, links)
	}
	return nil
}

// open returns where tokens come from and go to.
func (l Link) open() (fds [2]int, err error) {
	switch l {
	case Pipe:
		err = unix.Pipe2(fds[:], unix.O_CLOEXEC)
		return fds, err
	case Eventfd:
		fds[0], err = unix.Eventfd(0, unix.EFD_CLOEXEC)
	case Futex:
		fds[0], err = sys.NewBaton()
	default:
		return fds, fmt.Errorf("link %s: is no file", l)
	}
	if err != nil {
		return fds, err
	}
	if fds[1], err = unix.FcntlInt(uintptr(fds[0]), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		unix.Close(fds[0])
	}
	return fds, err
}

// An end is a member's: it takes tokens from the one before and gives them to
// the one after.
type end interface {
	take() (uint32, error)
	give(token uint32) error
}

// join makes an end of two descriptors.
func (l Link) join(in, out int) (end, error) {
	if l != Futex {
		return files{in, out}, nil
	}
	from, err := sys.MapBaton(in, false)
	if err != nil {
		return nil, err
	}
	to, err := sys.MapBaton(out, false)
	if err != nil {
		return nil, errors.Join(err, from.Free())
	}
	return batons{from, to}, nil
}

type files struct{ in, out int }

func (f files) take() (uint32, error) {
	token, err := sys.ReadToken(f.in)
	return uint32(token), err
}

func (f files) give(token uint32) error { return sys.WriteToken(f.out, uint64(token)) }

type batons struct{ from, to *sys.Baton }

func (b batons) take() (uint32, error)   { return b.from.Take() }
func (b batons) give(token uint32) error { return b.to.Give(token) }

// signals is the end of a thread: it gives tokens to another one by the signal.
type signals struct {
	all    *roster
	at, to int // its own place in the roster, and that of the other
	next   *sys.Message
}

// A roster has the numbers of all threads of a ring once these are ready.
type roster struct {
	tids    []int
	missing sync.WaitGroup
}

func newRoster(n int) *roster {
	r := &roster{tids: make([]int, n)}
	r.missing.Add(n)
	return r
}

// enter is called by the thread before all else; it waits for the others.
func (s *signals) enter() error {
	err := sys.BlockSignal()
	s.all.tids[s.at] = unix.Gettid()
	s.all.missing.Done()
	s.all.missing.Wait()
	s.next = sys.ToThread(s.all.tids[s.to])
	return err
}

func (s *signals) take() (uint32, error) { return sys.WaitSignal() }

func (s *signals) give(token uint32) error {
	s.next.SetToken(token)
	return s.next.Send()
}
