// SPDX-License-Identifier: GPL-2.0-only

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"siglat/cmd/siglab/internal/load"
	"siglat/cmd/siglab/internal/plan"
)

// patience is how long a load has to clean up, as stress-ng does.
const patience = 5 * time.Second

// loadBeside starts the load of a run and returns what ends it, which is an
// error where the load has ended by itself.
func loadBeside(run plan.Run) (end func() error, err error) {
	if run.Load == nil {
		return func() error { return nil }, nil
	}
	l := *run.Load
	program, err := exec.LookPath(l.Args[0])
	if err != nil {
		return nil, fmt.Errorf("start load: %w", err)
	}
	l.Args = append([]string{program}, l.Args[1:]...)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("start load: %w", err)
	}
	defer null.Close()
	p, err := l.Start(os.ProcAttr{Env: os.Environ(), Files: []*os.File{null, null, os.Stderr}})
	if err != nil {
		return nil, err
	}
	over := make(chan struct{})
	go func() {
		_, _ = p.Wait()
		close(over)
	}()
	time.Sleep(load.Lead)
	return func() error { return endLoad(p.Pid, over) }, nil
}

func endLoad(pid int, over <-chan struct{}) (err error) {
	select {
	case <-over:
		err = errors.New("the load ended before the run")
	default:
		_ = unix.Kill(-pid, unix.SIGTERM)
		select {
		case <-over:
		case <-time.After(patience):
		}
	}
	_ = unix.Kill(-pid, unix.SIGKILL) // what is left of its session
	<-over
	return err
}
