// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// A Link is how the members of a ring pass the token on.
type Link string

// The links.
const (
	Pipe    Link = "pipe"
	Eventfd Link = "eventfd"
	Futex   Link = "futex" // in memory that the processes share
)

var links = []Link{Pipe, Eventfd, Futex}

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
	default:
		fds[0], err = sys.NewBaton()
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
	if l == Pipe || l == Eventfd {
		return files{in, out}, nil
	}
	from, err := sys.MapBaton(in)
	if err != nil {
		return nil, err
	}
	to, err := sys.MapBaton(out)
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
