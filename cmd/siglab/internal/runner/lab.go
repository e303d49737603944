// SPDX-License-Identifier: GPL-2.0-only

package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"siglat/cmd/siglab/internal/lab"
	"siglat/cmd/siglab/internal/plan"
	"siglat/cmd/siglab/internal/wire"
)

// A Reporter hears of runs; its methods may be called by several goroutines.
type Reporter interface {
	Start(run plan.Run)
	Done(run plan.Run, err error)
}

// InLab runs the plan with one boot for each run, so that a run's figures
// depend on its own line alone, and jobs machines at once. It goes on after a
// failed run and returns an error that counts the failed ones.
func InLab(ctx context.Context, l *lab.Lab, boot lab.Boot, runs []plan.Run, out, sigwait string, jobs int, rep Reporter) error {
	queue := make(chan plan.Run)
	var wg sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for range min(jobs, len(runs)) {
		wg.Go(func() {
			for run := range queue {
				rep.Start(run)
				err := inLab(ctx, l, boot, run, out, sigwait)
				rep.Done(run, err)
				if err != nil {
					mu.Lock()
					failed++
					mu.Unlock()
				}
			}
		})
	}
feed:
	for _, run := range runs {
		select {
		case queue <- run:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	wg.Wait()
	return summary(ctx, failed, len(runs))
}

func summary(ctx context.Context, failed, all int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed", failed, all)
	}
	return nil
}

func inLab(ctx context.Context, l *lab.Lab, boot lab.Boot, run plan.Run, out, sigwait string) error {
	s, err := newSlot(out, run.Name)
	if err != nil {
		return err
	}
	defer s.discard()
	var said tail
	boot.Kernel, boot.Load = run.Kernel, run.Load
	boot.Results = s.tmp
	boot.Quiet = true // the output would be sent while the run is measured
	boot.Stderr = &said
	boot.Command = append([]string{
		sigwait, "--quiet", "--name", run.Name, "-o", wire.ResultsPath + "/" + run.Name,
	}, run.Args...)
	status, err := l.Run(ctx, boot)
	if err != nil {
		return withTail(err, &said)
	}
	if status != 0 {
		return withTail(fmt.Errorf("sigwait ended with status %d", status), &said)
	}
	return s.commit()
}

// A tail keeps the end of what a program says.
type tail struct{ buf []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if len(t.buf) > 4096 {
		t.buf = t.buf[len(t.buf)-2048:]
	}
	return len(p), nil
}

// withTail adds the last lines that a program said to its error.
func withTail(err error, t *tail) error {
	var lines []string
	for line := range strings.Lines(string(t.buf)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines[max(0, len(lines)-3):], "; "))
}
