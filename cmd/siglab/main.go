// SPDX-License-Identifier: GPL-2.0-only

// Siglab runs experiments on kernels of its own choice, in virtual machines
// that it boots itself, or on this host.
//
// The same binary is the init program of those machines: it then runs as
// process 1, and a lab and its guests can never be of different versions.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"siglat/cmd/internal/cli"
	"siglat/cmd/siglab/internal/guest"
)

const usage = `Usage: siglab COMMAND [flags]

Runs signal-latency experiments on Debian kernels in virtual machines, in
virtual time (exact, equal on every host) or in real time, or on this host.

Commands:
  run       run the experiments of a plan, one boot each
  exec      run any program in a virtual machine with the module loaded
  kernels   list, fetch and build for the known kernels

siglab COMMAND --help tells more.

Exit status: 0 done, 1 failed, 2 wrong usage; siglab exec: the program's own.
`

func main() {
	if os.Getpid() == 1 {
		guest.Main()
	}
	catchSIGPIPE()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, w, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return cli.ExitUsage
	}
	stdout := &output{w: w}
	var status int
	var err error
	switch args[0] {
	case "kernels":
		err = kernelsCommand(ctx, args[1:], stdout, stderr)
	case "exec":
		status, err = execCommand(ctx, args[1:], stdout, stderr)
	case "run":
		err = runCommand(ctx, args[1:], stdout, stderr)
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
	default:
		err = cli.Usagef("unknown command %q (try siglab --help)", args[0])
	}
	if stdout.err != nil {
		err = stdout.err
	}
	if err == nil {
		return status
	}
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted")
	}
	return cli.Report("siglab", err, stderr)
}
