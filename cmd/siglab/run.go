// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"siglat/cmd/internal/cli"
	"siglat/cmd/siglab/internal/kernel"
	"siglat/cmd/siglab/internal/lab"
	"siglat/cmd/siglab/internal/plan"
	"siglat/cmd/siglab/internal/runner"
)

// A runRequest is the command line of siglab run.
type runRequest struct {
	plan, out, kernel, on, sigwait string
	only                           []string
	jobs                           int
	boot                           lab.Boot
}

// runCommand is siglab run.
func runCommand(ctx context.Context, args []string, s cli.Streams) error {
	stdout, stderr := s.Out, s.Err
	req, err := parseRun(args, stdout)
	if err != nil {
		return err
	}
	runs, err := readPlan(req)
	if err != nil {
		return err
	}
	root, err := findRoot()
	if err != nil {
		return err
	}
	sigwait := req.sigwait
	if sigwait == "" {
		sigwait = filepath.Join(root, "build", "bin", "sigwait")
	}
	if _, err := os.Stat(sigwait); err != nil {
		return fmt.Errorf("find sigwait: %w (run make build)", err)
	}
	if req.on == "host" {
		store := &kernel.Store{Root: root, Log: stderr}
		rep := newReporter(stderr, len(runs), false)
		return runner.OnHost(ctx, store, runs, req.out, sigwait, terminal(stderr), rep)
	}
	for _, run := range runs {
		b := req.boot
		b.Kernel = run.Kernel
		if _, err := newLab(ctx, b, stderr); err != nil {
			return fmt.Errorf("%s: run %s: %w", req.plan, run.Name, err)
		}
	}
	req.boot.Kernel = runs[0].Kernel
	l, err := newLab(ctx, req.boot, stderr)
	if err != nil {
		return err
	}
	rep := newReporter(stderr, len(runs), true)
	defer rep.close()
	return runner.InLab(ctx, l, req.boot, runs, req.out, sigwait, req.jobs, rep)
}

func parseRun(args []string, stdout io.Writer) (*runRequest, error) {
	cmd := &cli.Command{
		Name: "siglab run", Synopsis: "--plan FILE -o DIR [flags]",
		About: "Runs the experiments of a plan and puts their recordings into DIR/NAME.\n" +
			"Each run boots a machine of its own; a result that is there already is replaced\n" +
			"by a whole new one only.",
		Examples: []string{
			"siglab run --plan scripts/plans/article -o runs",
			"siglab run --plan scripts/plans/article -o runs --kernel 6.12-rt --only busy-other",
			"sudo siglab run --plan scripts/plans/article -o runs --on host",
		},
	}
	req := &runRequest{}
	flags := cmd.Group("Plan")
	flags.StringVar(&req.plan, "plan", "", "`FILE` with a run a line: \"name: flags of sigwait\"; after a line\n\"@load PROGRAM ...\" each run has that program beside it")
	flags.StringVarP(&req.out, "out", "o", "", "`DIR` for the results")
	flags.StringArrayVar(&req.only, "only", nil, "do only the run of this `NAME` (repeat for more)")
	flags.StringVar(&req.on, "on", "lab", "run in the `lab`'s virtual machines or on this host (host)")
	flags.StringVar(&req.sigwait, "sigwait", "", "recorder to use, instead of build/bin/sigwait")
	lf := cmd.Group("Machine (lab only)")
	lf.StringVar(&req.kernel, "kernel", "", "use the kernel of this `NAME` for all runs")
	lf.IntVar(&req.jobs, "jobs", 2, "`NUMBER` of machines at once")
	machineFlags(lf, &req.boot)
	operands, err := cmd.Parse(args, stdout)
	switch {
	case err != nil:
		return nil, err
	case len(operands) > 0:
		return nil, cli.Usagef("unexpected argument %q (try siglab run --help)", operands[0])
	case req.plan == "" || req.out == "":
		return nil, cli.Usagef("--plan FILE and -o DIR are needed (try siglab run --help)")
	case req.on != "lab" && req.on != "host":
		return nil, cli.Usagef("--on %q: want lab or host", req.on)
	case req.jobs < 1:
		return nil, cli.Usagef("--jobs %d: want 1 or more", req.jobs)
	}
	for _, name := range []string{"kernel", "jobs", "clock", "cpus", "module", "module-args", "timeout"} {
		if req.on == "host" && cmd.Changed(name) {
			return nil, cli.Usagef("--%s is for the lab, not for --on host", name)
		}
	}
	req.boot.Kernel = kernel.Default
	if req.kernel != "" {
		req.boot.Kernel = req.kernel
	}
	if err := lab.CheckFlags(req.boot); err != nil {
		return nil, cli.Usagef("%w", err)
	}
	return req, nil
}

// readPlan returns the runs that are asked for.
func readPlan(req *runRequest) ([]plan.Run, error) {
	f, err := os.Open(req.plan)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	defer f.Close()
	all, err := plan.Parse(req.plan, f)
	if err != nil {
		return nil, err
	}
	var runs []plan.Run
	for _, run := range all {
		if req.kernel != "" {
			run.Kernel = req.kernel
		}
		if len(req.only) == 0 || slices.Contains(req.only, run.Name) {
			runs = append(runs, run)
		}
	}
	for _, name := range req.only {
		if !slices.ContainsFunc(all, func(r plan.Run) bool { return r.Name == name }) {
			return nil, cli.Usagef("--only %s: no such run in %s", name, req.plan)
		}
	}
	return runs, nil
}
