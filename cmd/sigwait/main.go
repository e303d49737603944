// SPDX-License-Identifier: GPL-2.0-only

// Command sigwait measures how long a signal takes from the kernel, or from
// another thread, to a thread of its own, and records every latency.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
	"siglat/sigwait/baseline"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	if baseline.Invited() {
		return cli.Report("sigwait", baseline.Join(stdout), stderr)
	}
	text := bufio.NewWriter(stdout)
	handled, err := cli.Documents("sigwait", args, text, func(args []string, out io.Writer) error {
		return measure(ctx, args, library, out, stderr)
	})
	if handled {
		return cli.Report("sigwait", errors.Join(err, quiet(outputError(text.Flush()))), stderr)
	}
	if len(args) > 0 {
		for _, c := range subcommands() {
			if c.Name == args[0] {
				return cli.Report("sigwait", c.Run(ctx, args[1:], cli.Streams{Out: stdout, Err: stderr}), stderr)
			}
		}
	}
	return cli.Report("sigwait", measure(ctx, args, library, stdout, stderr), stderr)
}

func subcommands() []cli.Subcommand {
	return []cli.Subcommand{
		{Name: doctorName, About: "what on this host disturbs a measurement, and the remedies", Run: func(_ context.Context, args []string, s cli.Streams) error {
			return doctorCommand(args, thisHost, library.probe, s.Out)
		}},
		{Name: baselineName, About: "what a latency is made of: switches of tasks, and calls", Run: func(ctx context.Context, args []string, s cli.Streams) error {
			return baselineCommand(ctx, args, baselines, s.Out, s.Err)
		}},
	}
}

// An engine is what the command needs of package sigwait.
type engine struct {
	run   func(context.Context, sigwait.Config, func(sigwait.Effective), func([]sigwait.Sample)) (*sigwait.Result, error)
	probe func(device string) error
	trace func(device string, cpus []int) (tracer, error)
}

var library = engine{sigwait.Run, sigwait.Probe, openTracer}

func measure(ctx context.Context, args []string, e engine, stdout, stderr io.Writer) error {
	text := bufio.NewWriter(stdout)
	o, err := parse(args, text)
	if err == nil && o.version {
		fmt.Fprintln(text, cli.Version("sigwait"))
	}
	if full := quiet(outputError(text.Flush())); full != nil {
		return full
	}
	if err != nil || o.version {
		return err
	}
	if err := o.checkCPUs(host.Online()); err != nil {
		return err
	}
	o.chooseSource(e.probe, stderr)
	// The module tells the parts of the way before the signal.
	o.config.Segments = o.config.Segments || o.blame && o.config.Source == sigwait.SourceKernel ||
		o.xenomai && o.config.Mode == sigwait.ModeUser
	ctx, hangup, stop := ending(ctx, o.out != "")
	defer stop()
	r, err := newRecorder(o, hangup)
	if err != nil {
		return err
	}
	return r.record(ctx, e, stdout, stderr)
}

// chooseSource resolves the source auto and says why it is not the kernel.
func (o *options) chooseSource(probe func(string) error, stderr io.Writer) {
	if o.source.value != sourceAuto {
		o.config.Source = sigwait.Source(o.source.value)
		return
	}
	o.config.Source = sigwait.SourceKernel
	if o.xenomai {
		return // the other sources have no modes
	}
	err := probe(o.config.Device)
	if err == nil {
		return
	}
	o.config.Source, o.instead = sigwait.SourceUser, err
	if !o.quiet {
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
