// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// A Ring is one measurement.
type Ring struct {
	Procs    int   // processes, 2 or more
	Bytes    int   // that each reads when it has the token
	Rounds   int   // of the token, in each repetition
	Repeats  int   // repetitions; one round before the first is not counted
	CPUs     []int // on which they run: one, or by turns
	Priority int   // SCHED_FIFO 1 to 99, 0: SCHED_OTHER; needs CAP_SYS_NICE or RLIMIT_RTPRIO
	Link     Link
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
	if err := r.check(); err != nil {
		return nil, err
	}
	// Ends all members when one fails.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := r.Procs
	if r.Threads || r.Overhead {
		n = 1
	}
	var wires []wire
	if n > 1 {
		var err error
		if wires, err = newWires(n, r.Link); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	members := make([]*exec.Cmd, n)
	said := make([]strings.Builder, n)
	var failed error
	for i := range members {
		c, err := r.member(ctx, i, wires)
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
	closeWires(wires)
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

func (r Ring) check() error {
	if r.Procs < 2 || r.Bytes < 0 || r.Rounds < 1 || r.Repeats < 1 || len(r.CPUs) < 1 {
		return fmt.Errorf("ring %+v: wants two processes, one round, one repetition and one CPU, or more", r)
	}
	if r.Link == Signal && !r.Threads {
		return errors.New("ring by signals: wants threads")
	}
	return r.Link.check()
}

func (r Ring) member(ctx context.Context, i int, wires []wire) (*exec.Cmd, error) {
	where, err := json.Marshal(place{Ring: r, Index: i})
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "/proc/self/exe")
	// No signal of the runtime's own shall end a wait.
	c.Env = append(os.Environ(), variable+"="+string(where), "GODEBUG=asyncpreemptoff=1")
	if len(wires) > 0 {
		c.ExtraFiles = []*os.File{wires[i].r, wires[(i+1)%len(wires)].w}
	}
	return c, nil
}

// A wire leads to one member of a ring.
type wire struct{ r, w *os.File }

func newWires(n int, l Link) ([]wire, error) {
	var wires []wire
	for range n {
		fds, err := l.open()
		if err != nil {
			closeWires(wires)
			return nil, fmt.Errorf("connect a ring of %d: %w", n, err)
		}
		wires = append(wires, wire{os.NewFile(uintptr(fds[0]), "ring"), os.NewFile(uintptr(fds[1]), "ring")})
	}
	return wires, nil
}

func closeWires(wires []wire) {
	for _, l := range wires {
		l.r.Close()
		l.w.Close()
	}
}
