// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// programs are those that a bench needs, by their paths on the host.
type programs struct {
	siglab, sigwait, receiver string
	self                      string   // this one, to run the list in the guest
	copies                    []string // FILE:GUESTPATH of more
}

// A job is one command to run and where its samples belong.
type job struct {
	args    []string
	samples int
	to      *[]int64
	name    string
	bound   bool // to CPU 0
}

// measure makes one boot and takes all samples of a kernel in it, those in Go
// and in C by turns. A measurement that fails, or gives another number of
// samples than asked for, is an error that names it; the others are kept.
func (p programs) measure(ctx context.Context, kernel string, receivers, inC []string, n int) ([]row, error) {
	var jobs []job
	rows := make([]row, 0, 4*len(receivers))
	for _, c := range cells(kernel, receivers) {
		rows = append(rows, row{cell: c})
		r := &rows[len(rows)-1]
		for _, p := range c.parts(n) {
			jobs = append(jobs, job{args: c.commandGo(p), samples: p.samples, to: &r.inGo, name: c.String() + " in Go"})
			if slices.Contains(inC, c.Receiver) {
				jobs = append(jobs, job{args: c.commandC(p), samples: p.samples, to: &r.inC, name: c.String() + " in C"})
			}
		}
	}
	outcomes, err := p.boot(ctx, kernel, jobs)
	if len(outcomes) == 0 {
		return nil, err
	}
	errs := []error{err}
	for i, o := range outcomes {
		samples, err := o.samples(jobs[i].samples)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", jobs[i].name, err))
		}
		*jobs[i].to = append(*jobs[i].to, samples...)
	}
	return rows, errors.Join(errs...)
}

// boot runs the jobs in a guest. There are fewer outcomes than jobs only
// beside an error.
func (p programs) boot(ctx context.Context, kernel string, jobs []job) ([]outcome, error) {
	commands := make([]command, len(jobs))
	for i, j := range jobs {
		commands[i] = command{j.args, j.bound}
	}
	list, err := json.Marshal(commands)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	args := []string{"exec", "--kernel", kernel, "--copy", p.sigwait + ":" + guestGo}
	if p.receiver != "" {
		args = append(args, "--copy", p.receiver+":"+guestC)
	}
	for _, c := range p.copies {
		args = append(args, "--copy", c)
	}
	cmd := exec.CommandContext(ctx, p.siglab, append(args, "--", p.self, "--in-guest", string(list))...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	failed := cmd.Run()
	if failed != nil {
		failed = fmt.Errorf("%s on kernel %s: %w: %s", p.siglab, kernel, failed, strings.TrimSpace(stderr.String()))
	}
	outcomes, err := decode(&stdout)
	if failed == nil && err == nil && len(outcomes) != len(jobs) {
		err = fmt.Errorf("kernel %s: %d outcomes of %d measurements", kernel, len(outcomes), len(jobs))
	}
	return outcomes[:min(len(outcomes), len(jobs))], errors.Join(failed, err)
}

func decode(text *bytes.Buffer) ([]outcome, error) {
	var list []outcome
	for dec := json.NewDecoder(text); dec.More(); {
		var o outcome
		if err := dec.Decode(&o); err != nil {
			return list, fmt.Errorf("read outcome %d of the guest: %w", len(list)+1, err)
		}
		list = append(list, o)
	}
	return list, nil
}

// samples returns the latencies in ns without those of settling: n, all above
// zero.
func (o outcome) samples(n int) ([]int64, error) {
	if o.Exit != 0 {
		return nil, fmt.Errorf("exit status %d: %s", o.Exit, strings.TrimSpace(o.Stderr))
	}
	lines := strings.Fields(o.Stdout)
	if len(lines) != n+settling {
		return nil, fmt.Errorf("%d samples, want %d: %s", len(lines), n+settling, strings.TrimSpace(o.Stderr))
	}
	list := make([]int64, n)
	for i, l := range lines[settling:] {
		ns, err := strconv.ParseInt(l, 10, 64)
		if err != nil || ns <= 0 {
			return nil, fmt.Errorf("sample %d is %.40q, want a latency in ns", settling+i+1, l)
		}
		list[i] = ns
	}
	return list, nil
}

// compile builds the receivers in C and returns the names of those that there
// are. source is receiver.c.
func compile(ctx context.Context, source, out string) ([]string, error) {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, err
	}
	gcc := exec.CommandContext(ctx, "gcc", "-static", "-O2", "-Wall", "-Wextra", "-Werror", "-o", out, source)
	if msg, err := gcc.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc %s: %w: %s", source, err, strings.TrimSpace(string(msg)))
	}
	names, err := exec.CommandContext(ctx, out, "list").Output()
	if err != nil {
		return nil, fmt.Errorf("%s list: %w", out, err)
	}
	return strings.Fields(string(names)), nil
}
