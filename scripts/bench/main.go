// SPDX-License-Identifier: GPL-2.0-only

// Command bench compares the receivers of sigwait with the same ones in C, in
// virtual machines in virtual time, where medians are exact. It ends with
// status 1 when one in Go is slower than in C.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/spf13/pflag"

	"siglat/sigwait"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return
		}
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	kernels, receivers []string
	count              int
	bin, source, out   string
	inGuest            string
	peers              bool
}

// minCount is how many samples a 99th percentile wants.
const minCount = 100

func parse(args []string) (*options, error) {
	var o options
	f := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {
		fmt.Fprintf(os.Stderr, "Usage: bench [flags] [KERNEL]...\n\nKernels as siglab kernels names them (default 6.12 and 6.12-rt).\n\n%s", f.FlagUsages())
	}
	f.StringSliceVar(&o.receivers, "receivers", sigwait.Receivers(), "receivers by `NAME`")
	f.IntVarP(&o.count, "count", "n", 300, "take `N` samples each")
	f.StringVar(&o.bin, "bin", "build/bin", "`DIR` of sigwait and siglab")
	f.StringVar(&o.source, "source", "scripts/bench/receiver.c", "`FILE` of the receivers in C")
	f.StringVarP(&o.out, "out", "o", "build/bench", "`DIR` for the program in C and for bench.json")
	f.BoolVar(&o.peers, "peers", false, "compare with the programs of rt-tests instead")
	f.StringVar(&o.inGuest, "in-guest", "", "run `COMMANDS`, a list in JSON (for its own use)")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.kernels = f.Args()
	if f.NArg() == 0 {
		o.kernels = []string{"6.12", "6.12-rt"}
	}
	switch {
	case o.count < minCount:
		return nil, fmt.Errorf("--count %d: wants %d or more", o.count, minCount)
	case len(o.receivers) == 0:
		return nil, errors.New("--receivers: wants a name")
	}
	return &o, nil
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.inGuest != "" {
		return inGuest(o.inGuest, stdout)
	}
	if o.peers {
		return o.comparePeers(ctx, stdout)
	}
	rows, err := o.measure(ctx)
	if len(rows) == 0 {
		return err
	}
	for _, r := range rows {
		fmt.Fprintln(stdout, r.line())
	}
	s := summarise(rows)
	fmt.Fprintln(stdout, s.line())
	err = errors.Join(err, writeJSON(filepath.Join(o.out, "bench.json"), rows))
	if s.Exceeded > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d ratios of medians pass %.2f", s.Exceeded, s.Rows, limit))
	}
	return err
}

// comparePeers makes a boot per kernel, one after the other.
func (o *options) comparePeers(ctx context.Context, stdout io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := programs{siglab: filepath.Join(o.bin, "siglab"), sigwait: filepath.Join(o.bin, "sigwait"), self: self}
	var errs []error
	for _, k := range o.kernels {
		rows, err := p.comparePeers(ctx, k)
		if err == nil {
			err = printPeers(stdout, k, rows)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// measure makes a boot per kernel, two at a time.
func (o *options) measure(ctx context.Context) ([]row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := programs{siglab: filepath.Join(o.bin, "siglab"), sigwait: filepath.Join(o.bin, "sigwait"),
		receiver: filepath.Join(o.out, "receiver"), self: self}
	inC, err := compile(ctx, o.source, p.receiver)
	if err != nil {
		return nil, err
	}
	rows := make([][]row, len(o.kernels))
	errs := make([]error, len(o.kernels))
	slots := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, k := range o.kernels {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			rows[i], errs[i] = p.measure(ctx, k, o.receivers, inC, o.count)
		})
	}
	wg.Wait()
	var all []row
	for _, r := range rows {
		all = append(all, r...)
	}
	return all, errors.Join(errs...)
}
