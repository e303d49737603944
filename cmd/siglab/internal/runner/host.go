// SPDX-License-Identifier: GPL-2.0-only

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"siglat/cmd/siglab/internal/kernel"
	"siglat/cmd/siglab/internal/plan"
)

// OnHost runs the plan on this host, one run after the other, in real time.
// It loads the module when a run needs it and it is not loaded, and then
// unloads it at the end. It needs root.
func OnHost(ctx context.Context, store *kernel.Store, runs []plan.Run, out, sigwait string, live io.Writer, rep Reporter) (err error) {
	if os.Geteuid() != 0 {
		return errors.New("run on this host: root is needed for the module and real-time priority (run it with sudo)")
	}
	if slices.ContainsFunc(runs, needsModule) {
		unload, err := loadOnHost(ctx, store)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unload()) }()
	}
	failed := 0
	for _, run := range runs {
		if ctx.Err() != nil {
			break
		}
		rep.Start(run)
		err := onHost(ctx, run, out, sigwait, live)
		rep.Done(run, err)
		if err != nil {
			failed++
		}
	}
	return summary(ctx, failed, len(runs))
}

// needsModule tells whether the run's signals come from the module.
func needsModule(run plan.Run) bool {
	source := "auto"
	for i, a := range run.Args {
		if v, ok := strings.CutPrefix(a, "--source="); ok {
			source = v
		} else if a == "--source" && i+1 < len(run.Args) {
			source = run.Args[i+1]
		}
	}
	return source == "auto" || source == "kernel"
}

func onHost(ctx context.Context, run plan.Run, out, sigwait string, live io.Writer) error {
	s, err := newSlot(out, run.Name)
	if err != nil {
		return err
	}
	defer s.discard()
	var said tail
	endLoad, err := loadBeside(run)
	if err != nil {
		return err
	}
	args := append([]string{"--name", run.Name, "-o", s.dir()}, run.Args...)
	cmd := exec.CommandContext(ctx, sigwait, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stderr = &said
	if live != nil {
		cmd.Stderr = live // sigwait draws its own live line on a terminal
	}
	if err := errors.Join(cmd.Run(), endLoad()); err != nil {
		return withTail(fmt.Errorf("sigwait: %w", err), &said)
	}
	return s.commit()
}

// loadOnHost makes /dev/siglat be there and returns what undoes it.
func loadOnHost(ctx context.Context, store *kernel.Store) (func() error, error) {
	if _, err := os.Stat("/sys/module/siglat"); err == nil {
		return func() error { return nil }, nil
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil, fmt.Errorf("read kernel release: %w", err)
	}
	release := unix.ByteSliceToString(name.Release[:])
	if _, err := os.Stat("/proc/modules"); err != nil {
		return nil, fmt.Errorf("load module: this host's kernel %s takes no modules (use the lab, or --source user)", release)
	}
	path, err := store.HostModule(ctx, release)
	if err != nil {
		return nil, err
	}
	if err := kernel.CheckModule(path, release); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load module: %w", err)
	}
	defer f.Close()
	if err := unix.FinitModule(int(f.Fd()), "", 0); err != nil {
		return nil, fmt.Errorf("load module %s: %w%s", path, err, loadAdvice(err))
	}
	return func() error {
		if err := unix.DeleteModule("siglat", unix.O_NONBLOCK); err != nil {
			return fmt.Errorf("unload module: %w", err)
		}
		return nil
	}, nil
}

func loadAdvice(err error) string {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EKEYREJECTED), errors.Is(err, unix.ENOKEY):
		return " (secure boot or lockdown asks for a signature, or modules are disabled; see dmesg)"
	case errors.Is(err, unix.ENOEXEC):
		return " (built for another kernel; see dmesg)"
	}
	return " (see dmesg)"
}
