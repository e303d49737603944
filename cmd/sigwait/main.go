// SPDX-License-Identifier: GPL-2.0-only

// Command sigwait measures how long a signal takes from the kernel, or from
// another thread, to a thread of its own, and records every latency.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"siglat/cmd/internal/cli"
	"siglat/sigwait"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Report("sigwait", measure(ctx, args, stdout, stderr), stderr)
}

// memoryLimit is what the heap may grow to while the collector is off; a run
// allocates far less.
const memoryLimit = 256 << 20

func measure(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	if o.version {
		if _, err := fmt.Fprintln(stdout, cli.Version("sigwait")); err != nil {
			return fmt.Errorf("write output: %w", reason(err))
		}
		return nil
	}
	chooseSource(o, stderr)
	// A reader that has seen enough is not an error.
	signal.Ignore(unix.SIGPIPE)
	ends := []os.Signal{unix.SIGINT, unix.SIGTERM}
	if o.out == "" {
		ends = append(ends, unix.SIGHUP)
	} else {
		// The recording goes on when the terminal is closed.
		signal.Ignore(unix.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	defer stop()
	if o.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.duration)
		defer cancel()
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return record(ctx, o, stdout, stderr)
}

// chooseSource resolves the source auto and says why it is not the kernel.
func chooseSource(o *options, stderr io.Writer) {
	if o.source.value != sourceAuto {
		o.config.Source = sigwait.Source(o.source.value)
		return
	}
	o.config.Source = sigwait.SourceKernel
	if err := sigwait.Probe(o.config.Device); err != nil {
		o.config.Source = sigwait.SourceUser
		fmt.Fprintf(stderr, "sigwait: signals come from a thread of this process, not from the kernel: %v\n", err)
	}
}

// reason strips operation and path from an error of the operating system.
func reason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
