// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"text/tabwriter"

	"siglat/cmd/internal/cli"
	"siglat/cmd/siglab/internal/kernel"
)

// kernelsCommand is siglab kernels.
func kernelsCommand(ctx context.Context, args []string, s cli.Streams) error {
	stdout, stderr := s.Out, s.Err
	cmd := &cli.Command{
		Name: "siglab kernels", Synopsis: "[--fetch NAME|all]... [--build NAME|all]...",
		About:    "Lists the known kernels. Fetched ones lie in build/kernels; nothing is installed.",
		Examples: []string{"siglab kernels", "siglab kernels --fetch 6.12 --fetch 6.12-rt", "siglab kernels --build all"},
	}
	flags := cmd.Group("Kernels")
	fetch := flags.StringSlice("fetch", nil, "download and unpack `NAME`s, or all, unless they are there already")
	build := flags.StringSlice("build", nil, "build the module for `NAME`s, or all; fetch what is needed for it")
	werror := flags.Bool("werror", false, "fail where building gives a warning")
	operands, err := cmd.Parse(args, stdout)
	if err != nil {
		return err
	}
	if len(operands) > 0 {
		return cli.Usagef("unexpected argument %q (try siglab kernels --help)", operands[0])
	}
	toFetch, err := kernelNames(*fetch)
	if err != nil {
		return err
	}
	toBuild, err := kernelNames(*build)
	if err != nil {
		return err
	}
	root, err := findRoot()
	if err != nil {
		return err
	}
	store := &kernel.Store{Root: root, Log: stderr, Werror: *werror}
	for _, k := range append(toFetch, toBuild...) {
		state, err := store.Ensure(ctx, k)
		if err != nil {
			return err
		}
		if slices.Contains(toBuild, k) {
			path, err := store.Rebuild(ctx, state)
			if err != nil {
				return err
			}
			fmt.Fprintln(stdout, path)
		}
	}
	if len(toBuild) > 0 {
		return nil
	}
	return listKernels(store, stdout)
}

func kernelNames(names []string) ([]kernel.Kernel, error) {
	var out []kernel.Kernel
	for _, name := range names {
		if name == "all" {
			return kernel.All, nil
		}
		k, err := kernel.Lookup(name)
		if err != nil {
			return nil, cli.Usagef("%w", err)
		}
		out = append(out, k)
	}
	return out, nil
}

func listKernels(store *kernel.Store, stdout io.Writer) error {
	w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tRELEASE\tMODULE\tWHAT")
	for _, k := range slices.Concat(kernel.All, kernel.Debug) {
		s, err := store.State(k)
		release, module := "not fetched", "-"
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		default:
			release = s.Release
			module = "not built"
			if store.ModuleBuilt(s) {
				module = "built"
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.Name, release, module, k.Text)
	}
	return w.Flush()
}
