// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"siglat/cmd/internal/cli"
	"siglat/cmd/siglab/internal/kernel"
	"siglat/cmd/siglab/internal/lab"
	"siglat/cmd/siglab/internal/vm"
)

// machineFlags are those that exec and run share.
func machineFlags(flags *pflag.FlagSet, b *lab.Boot) {
	flags.StringVar(&b.Clock, "clock", vm.Virtual, "`virtual` time (exact, repeatable) or real time")
	flags.IntVar(&b.CPUs, "cpus", 2, "number of `CPUs` of the machine")
	flags.StringVar(&b.Module, "module", "", "load this module `FILE` instead of building kmod/")
	flags.StringVar(&b.ModuleArgs, "module-args", "", "module `PARAMETERS`, as for insmod")
	flags.StringVar(&b.KernelArgs, "kernel-args", "", "more boot `PARAMETERS` of the kernel, as nohz_full=1")
	flags.DurationVar(&b.Timeout, "timeout", 10*time.Minute, "kill a machine that has come to no end in this real `TIME`")
}

// execCommand is siglab exec; it ends with the exit status of the program.
func execCommand(ctx context.Context, args []string, s cli.Streams) error {
	cmd := &cli.Command{
		Name: "siglab exec", Synopsis: "[flags] -- PROGRAM [ARGUMENT]...",
		About: "Boots a machine, loads the module, runs PROGRAM (packed into /bin, its libraries too)\n" +
			"in the folder /home, and ends with its exit status (128+n for signal n). Files that it\n" +
			"writes are gone with the machine: siglab run keeps recordings.",
		Exit: "the program's own",
		Examples: []string{
			"siglab exec -- build/bin/sigwait --cpu 0 -n 100",
			"siglab exec --kernel 6.12-rt --module-args period_us=1000 -- ./receiver",
			`go test -exec "siglab exec --kernel 6.12 --" ./...`,
		},
	}
	b := lab.Boot{Stdout: s.Out, Stderr: s.Err}
	flags := cmd.Group("Machine")
	flags.StringVar(&b.Kernel, "kernel", kernel.Default, "`NAME` of the kernel, see siglab kernels")
	machineFlags(flags, &b)
	flags.BoolVar(&b.NoModule, "no-module", false, "do not load the module")
	flags.StringVar(&b.Console, "console", "", "keep the kernel's messages in `FILE`")
	flags = cmd.Group("Program")
	flags.StringArrayVar(&b.Copies, "copy", nil, "pack `FILE[:GUESTPATH]` too, into /home unless GUESTPATH is absolute")
	flags.StringArrayVar(&b.Env, "env", nil, "set an environment variable, `NAME=VALUE`")
	operands, err := cmd.ParseCommand(args, s.Out)
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return cli.Usagef("no program given (try siglab exec --help)")
	}
	for _, e := range b.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			return cli.Usagef("--env %q: want NAME=VALUE", e)
		}
	}
	b.Command = operands
	l, err := newLab(ctx, b, s.Err)
	if err != nil {
		return err
	}
	status, err := l.Run(ctx, b)
	if err != nil {
		return err
	}
	return cli.Status(status)
}

// newLab returns a lab for boots like b; a wrong flag is a usage error.
func newLab(ctx context.Context, b lab.Boot, stderr io.Writer) (*lab.Lab, error) {
	if err := lab.CheckFlags(b); err != nil {
		return nil, cli.Usagef("%w", err)
	}
	root, err := findRoot()
	if err != nil {
		return nil, err
	}
	return lab.New(ctx, &kernel.Store{Root: root, Log: stderr})
}
