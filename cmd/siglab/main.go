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

const about = `Runs signal-latency experiments on Debian kernels in virtual machines, in
virtual time (exact, equal on every host) or in real time, or on this host.`

var subcommands = []cli.Subcommand{
	{Name: "run", About: "run the experiments of a plan, one boot each", Run: runCommand},
	{Name: "exec", About: "run any program in a virtual machine with the module loaded", Run: execCommand},
	{Name: "kernels", About: "list, fetch and build for the known kernels", Run: kernelsCommand},
	{Name: "matrix", About: "test the module on the kernels and print a table", Run: matrixCommand},
}

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
	stdout := &output{w: w}
	err := cli.Dispatch(ctx, "siglab", about, subcommands, args, cli.Streams{Out: stdout, Err: stderr})
	if stdout.err != nil {
		err = stdout.err
	}
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted")
	}
	return cli.Report("siglab", err, stderr)
}
