// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// A Ring is one measurement.
type Ring struct {
	Procs    int  // processes, 2 or more
	Bytes    int  // that each sums when it has the token
	Rounds   int  // of the token, in each repetition
	Repeats  int  // repetitions; one round before the first is not counted
	CPU      int  // on which all run
	Priority int  // SCHED_FIFO 1 to 99, 0: SCHED_OTHER; needs CAP_SYS_NICE or RLIMIT_RTPRIO
	Eventfd  bool // eventfds in place of pipes
	Threads  bool // threads of one process in place of processes
	Overhead bool // one process does all, without a switch
}

// A place is what a process of a ring is told in the environment.
type place struct {
	Ring
	Index int
	sum   int64 // of what it has touched
}

const variable = "SIGLAT_RING"

// Run measures: for each repetition the ns of CLOCK_MONOTONIC that all its
// rounds took. The processes are this program, started again; its main must
// call Join when Invited. It blocks until they have ended.
func (r Ring) Run(ctx context.Context) ([]int64, error) {
	if r.Procs < 2 || r.Bytes < 0 || r.Rounds < 1 || r.Repeats < 1 {
		return nil, fmt.Errorf("ring %+v: wants two processes, one round and one repetition, or more", r)
	}
	// Ends all members when one fails.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := r.Procs
	if r.Threads || r.Overhead {
		n = 1
	}
	var links []link
	if n > 1 {
		var err error
		if links, err = newLinks(n, r.Eventfd); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	members := make([]*exec.Cmd, n)
	said := make([]strings.Builder, n)
	var failed error
	for i := range members {
		c, err := r.member(ctx, i, links)
		if err == nil {
			c.Stderr = &said[i]
			if i == 0 {
				c.Stdout = &out
			}
			err = c.Start()
		}
		if err != nil {
			failed = fmt.Errorf("start member %d of a ring: %w", i, err)
			cancel()
			break
		}
		members[i] = c
	}
	closeLinks(links)
	ended := make(chan error)
	started := 0
	for i, c := range members {
		if c == nil {
			break
		}
		started++
		go func() {
			err := c.Wait()
			if err != nil {
				err = fmt.Errorf("member %d of a ring: %w: %s", i, err, strings.TrimSpace(said[i].String()))
			}
			ended <- err
		}()
	}
	for range started {
		if err := <-ended; err != nil && failed == nil {
			failed = err
			cancel() // the others wait for a token that does not come
		}
	}
	if failed != nil {
		return nil, failed
	}
	var ns []int64
	if err := json.Unmarshal(out.Bytes(), &ns); err != nil {
		return nil, fmt.Errorf("result of a ring: %w", err)
	}
	return ns, nil
}

func (r Ring) member(ctx context.Context, i int, links []link) (*exec.Cmd, error) {
	where, err := json.Marshal(place{Ring: r, Index: i})
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "/proc/self/exe")
	// No signal of the runtime's own shall end a wait.
	c.Env = append(os.Environ(), variable+"="+string(where), "GODEBUG=asyncpreemptoff=1")
	if len(links) > 0 {
		c.ExtraFiles = []*os.File{links[i].r, links[(i+1)%len(links)].w}
	}
	return c, nil
}

// A link leads to one member of a ring.
type link struct{ r, w *os.File }

func newLinks(n int, eventfd bool) ([]link, error) {
	var links []link
	for range n {
		fds, err := newLink(eventfd)
		if err != nil {
			closeLinks(links)
			return nil, fmt.Errorf("connect a ring of %d: %w", n, err)
		}
		links = append(links, link{os.NewFile(uintptr(fds[0]), "ring"), os.NewFile(uintptr(fds[1]), "ring")})
	}
	return links, nil
}

func newLink(eventfd bool) (fds [2]int, err error) {
	if !eventfd {
		err = unix.Pipe2(fds[:], unix.O_CLOEXEC)
		return fds, err
	}
	if fds[0], err = unix.Eventfd(0, unix.EFD_CLOEXEC); err == nil {
		fds[1], err = unix.FcntlInt(uintptr(fds[0]), unix.F_DUPFD_CLOEXEC, 0)
	}
	return fds, err
}

func closeLinks(links []link) {
	for _, l := range links {
		l.r.Close()
		l.w.Close()
	}
}
