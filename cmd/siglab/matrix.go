// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"siglat/analysis/atomicfile"
	"siglat/cmd/internal/cli"
	"siglat/cmd/siglab/internal/kernel"
	"siglat/cmd/siglab/internal/lab"
	"siglat/cmd/siglab/internal/matrix"
	"siglat/cmd/siglab/internal/vm"
)

// A matrixJob is what siglab matrix does on each kernel.
type matrixJob struct {
	lab      *lab.Lab
	selftest []string
	sigwait  string
	timeout  time.Duration
	stderr   io.Writer
}

// matrixCommand is siglab matrix.
func matrixCommand(ctx context.Context, args []string, s cli.Streams) error {
	stdout, stderr := s.Out, s.Err
	cmd := &cli.Command{
		Name: "siglab matrix", Synopsis: "[flags] -- TESTBINARY [ARGUMENT]...",
		About: "Builds the module for each kernel, runs the module's tests and two short runs of sigwait\n" +
			"in virtual time, and prints a table in Markdown.",
		Examples: []string{"siglab matrix --kernel 6.12,6.12-rt -- build/selftest.test -storm 1s"},
	}
	flags := cmd.Group("Matrix")
	names := flags.StringSlice("kernel", []string{"all"}, "`NAME`s of kernels, or all")
	sigwait := flags.String("sigwait", "build/bin/sigwait", "this `FILE` measures the medians")
	update := flags.String("update", "", "put the table between the marks in this `FILE`, too")
	timeout := flags.Duration("timeout", 20*time.Minute, "kill a machine that has come to no end in this real `TIME`")
	operands, err := cmd.ParseCommand(args, stdout)
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return cli.Usagef("no test binary given (try siglab matrix --help)")
	}
	kernels, err := kernelNames(*names)
	if err != nil {
		return err
	}
	root, err := findRoot()
	if err != nil {
		return err
	}
	l, err := lab.New(ctx, &kernel.Store{Root: root, Log: stderr, Werror: true})
	if err != nil {
		return err
	}
	job := &matrixJob{lab: l, selftest: operands, sigwait: *sigwait, timeout: *timeout, stderr: stderr}
	var rows []matrix.Row
	failed := 0
	for _, k := range kernels {
		row := job.row(ctx, k)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !row.OK() {
			failed++
			fmt.Fprintf(stderr, "siglab: kernel %s: %d of %d tests passed: %v\n", k.Name, row.Passed, row.Tests, row.Trouble)
		}
		rows = append(rows, row)
	}
	fmt.Fprint(stdout, matrix.Text(rows))
	if failed > 0 {
		return fmt.Errorf("%d of %d kernels failed", failed, len(rows))
	}
	if *update != "" {
		return updateTable(*update, rows)
	}
	return nil
}

func (j *matrixJob) row(ctx context.Context, k kernel.Kernel) matrix.Row {
	row := matrix.Row{Kernel: k.Name, RT: k.RT()}
	state, err := j.lab.Store.Ensure(ctx, k)
	if err == nil {
		row.Release = state.Release
		_, err = j.lab.Store.Rebuild(ctx, state)
	}
	if err != nil {
		row.Trouble = err
		return row
	}
	fmt.Fprintf(j.stderr, "kernel %s: testing\n", k.Name)
	begin := time.Now()
	var out bytes.Buffer
	row.Trouble = j.boot(ctx, k.Name, &out, append([]string{j.selftest[0], "-test.v", "-test.timeout", "0"}, j.selftest[1:]...)...)
	row.Passed, row.Tests = matrix.Count(out.String())
	if !row.OK() {
		_, _ = j.stderr.Write(out.Bytes())
		return row
	}
	fmt.Fprintf(j.stderr, "kernel %s: %d tests passed in %v\n", k.Name, row.Passed, time.Since(begin).Round(time.Second))
	row.SameNS, row.Trouble = j.median(ctx, k.Name, "0")
	if row.Trouble == nil {
		row.OtherNS, row.Trouble = j.median(ctx, k.Name, "1")
	}
	return row
}

// median is that of 1000 signals with the receiver on CPU 0.
func (j *matrixJob) median(ctx context.Context, name, timerCPU string) (int64, error) {
	var out bytes.Buffer
	err := j.boot(ctx, name, &out, j.sigwait, "--json", "-n", "1000", "--cpu", "0", "--timer-cpu", timerCPU)
	if err != nil {
		return 0, err
	}
	return matrix.Median(out.Bytes())
}

func (j *matrixJob) boot(ctx context.Context, name string, out *bytes.Buffer, command ...string) error {
	status, err := j.lab.Run(ctx, lab.Boot{
		Kernel: name, Clock: vm.Virtual, CPUs: 2, Timeout: j.timeout,
		Command: command, Stdout: out, Stderr: j.stderr,
	})
	if err == nil && status != 0 {
		err = fmt.Errorf("%s ended with status %d", command[0], status)
	}
	return err
}

func updateTable(path string, rows []matrix.Row) error {
	document, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("update table: %w", err)
	}
	text, err := matrix.Replace(string(document), matrix.Text(rows))
	if err != nil {
		return fmt.Errorf("update table in %s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
