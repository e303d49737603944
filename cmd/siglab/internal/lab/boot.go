// SPDX-License-Identifier: GPL-2.0-only

// Package lab runs commands in virtual machines: it brings kernel, module and
// programs together, boots them and takes the results back.
package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"siglat/cmd/siglab/internal/initramfs"
	"siglat/cmd/siglab/internal/kernel"
	"siglat/cmd/siglab/internal/load"
	"siglat/cmd/siglab/internal/vm"
	"siglat/cmd/siglab/internal/wire"
)

// A Boot is one command in one machine.
type Boot struct {
	Kernel     string // a name of [kernel.All]
	Clock      string // vm.Virtual or vm.Real
	CPUs       int
	NoModule   bool
	Module     string // a module file instead of the one built from kmod/
	ModuleArgs string
	KernelArgs string     // more boot parameters, if not empty
	Command    []string   // a host program and its arguments
	Load       *load.Load // a host program beside the command, if not nil
	Copies     []string   // FILE or FILE:GUESTPATH
	Env        []string   // NAME=VALUE
	Timeout    time.Duration
	Console    string // host file that keeps the kernel's messages, if not empty
	Results    string // folder for what the command leaves in wire.ResultsPath, if not empty

	Quiet          bool // drop the command's standard output in the guest
	Stdout, Stderr io.Writer
}

// A Lab boots machines out of one source tree.
type Lab struct {
	Store *kernel.Store
	QEMU  vm.Emulator // the installed one
}

// New returns a lab, or an error when there is no emulator.
func New(ctx context.Context, store *kernel.Store) (*Lab, error) {
	qemu, err := vm.Installed(ctx)
	if err != nil {
		return nil, err
	}
	return &Lab{Store: store, QEMU: qemu}, nil
}

// maxKernelArgs fits COMMAND_LINE_SIZE beside the lab's own parameters; see
// arch/x86/include/asm/setup.h.
const maxKernelArgs = 1024

// CheckFlags returns an error for values that no lab can work with.
func CheckFlags(b Boot) error {
	if _, err := kernel.Lookup(b.Kernel); err != nil {
		return err
	}
	if b.Clock != vm.Virtual && b.Clock != vm.Real {
		return fmt.Errorf("unknown clock %q (known: %s, %s)", b.Clock, vm.Virtual, vm.Real)
	}
	if b.CPUs < 1 || b.CPUs > 64 {
		return fmt.Errorf("%d CPUs: 1 to 64 are possible", b.CPUs)
	}
	if len(b.KernelArgs) > maxKernelArgs || strings.ContainsFunc(b.KernelArgs, unicode.IsControl) {
		return fmt.Errorf("boot parameters %.40q: must be one line of at most %d bytes", b.KernelArgs, maxKernelArgs)
	}
	if b.Timeout <= 0 {
		return fmt.Errorf("timeout %v: must be positive", b.Timeout)
	}
	return nil
}

// emulator returns the one for a boot: the installed one unless that cannot
// run the kernel under the clock, then a newer one that is fetched.
func (l *Lab) emulator(ctx context.Context, b Boot) (vm.Emulator, error) {
	cannot := l.QEMU.CheckClock(b.Kernel, b.Clock, b.CPUs)
	if cannot == nil {
		return l.QEMU, nil
	}
	dir, err := l.Store.EnsureQEMU(ctx)
	if err != nil {
		return vm.Emulator{}, errors.Join(cannot, err)
	}
	share := filepath.Join(dir, "usr", "share")
	qemu, err := vm.Unpacked(ctx, filepath.Join(dir, "usr", "bin", vm.Program),
		filepath.Join(share, "qemu"), filepath.Join(share, "seabios"))
	if err != nil {
		return qemu, err
	}
	return qemu, qemu.CheckClock(b.Kernel, b.Clock, b.CPUs)
}

// Run boots a machine and returns the exit status of its command.
func (l *Lab) Run(ctx context.Context, b Boot) (int, error) {
	if err := CheckFlags(b); err != nil {
		return 0, err
	}
	qemu, err := l.emulator(ctx, b)
	if err != nil {
		return 0, err
	}
	k, err := kernel.Lookup(b.Kernel)
	if err != nil {
		return 0, err
	}
	state, err := l.Store.Ensure(ctx, k)
	if err != nil {
		return 0, err
	}
	module, err := l.module(ctx, b, state)
	if err != nil {
		return 0, err
	}
	archive, err := pack(b, state, module, qemu)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "siglab.")
	if err != nil {
		return 0, fmt.Errorf("make working folder: %w", err)
	}
	defer os.RemoveAll(dir)
	machine := vm.Machine{
		Emulator: qemu,
		Image:    state.ImagePath(), Initramfs: filepath.Join(dir, "initramfs"),
		Console: filepath.Join(dir, "console"), Channel: filepath.Join(dir, "channel"),
		Clock: b.Clock, CPUs: b.CPUs, Sockets: k.Checked(), MemoryMB: memory(archive.Size()),
		KernelArgs: b.KernelArgs,
	}
	if b.Console != "" {
		if machine.Console, err = makeConsole(b.Console); err != nil {
			return 0, err
		}
	}
	if err := writeArchive(archive, machine.Initramfs); err != nil {
		return 0, err
	}
	return boot(ctx, machine, b)
}

// makeConsole makes an empty file for the kernel's messages and returns its
// absolute path. It is read again while the machine runs, which comes to no
// end with a device or a pipe.
func makeConsole(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("keep console: %w", err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("keep console in %s: not a regular file: name another", path)
	}
	f, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("keep console: %w", err)
	}
	return path, f.Close()
}

func boot(ctx context.Context, machine vm.Machine, b Boot) (int, error) {
	h := vm.Handlers{Stdout: b.Stdout, Stderr: b.Stderr}
	if b.Results == "" {
		return vm.Run(ctx, machine, b.Timeout, h)
	}
	u := startUnpacking(b.Results)
	h.Tar = u
	status, err := vm.Run(ctx, machine, b.Timeout, h)
	return status, errors.Join(err, u.finish(err == nil))
}

func (l *Lab) module(ctx context.Context, b Boot, state *kernel.State) (string, error) {
	if b.NoModule {
		return "", nil
	}
	if b.Module != "" {
		return b.Module, kernel.CheckModule(b.Module, state.Release)
	}
	return l.Store.Module(ctx, state)
}

// memory returns the machine's size in MB: the archive is there twice while
// the kernel unpacks it, into a file system of at most half the memory.
func memory(archive int64) int {
	const step = 256
	mb := 512 + 4*int(archive>>20)
	return (mb + step - 1) / step * step
}

func writeArchive(a *initramfs.Archive, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write initramfs: %w", err)
	}
	return errors.Join(a.Write(f), f.Close())
}

func pack(b Boot, state *kernel.State, module string, qemu vm.Emulator) (*initramfs.Archive, error) {
	a := initramfs.New()
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if libs, err := libraries(self); err != nil || len(libs) > 0 {
		return nil, errors.Join(err, errors.New("siglab itself must be static to be a guest's init (build it with CGO_ENABLED=0)"))
	}
	if err := a.Host("/init", self); err != nil {
		return nil, err
	}
	job := wire.Job{
		Dir: workDir, Module: module != "", ModuleArgs: b.ModuleArgs,
		Results: b.Results != "", Quiet: b.Quiet, Settle: b.Clock == vm.Virtual,
	}
	if module != "" {
		if err := a.Host(wire.ModulePath, module); err != nil {
			return nil, err
		}
	}
	if job.Args, err = packCommand(a, b); err != nil {
		return nil, err
	}
	if job.Load, err = packLoad(a, b.Load); err != nil {
		return nil, err
	}
	if job.Env, err = environment(b, state, module, qemu); err != nil {
		return nil, err
	}
	data, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	a.Bytes(wire.JobPath, 0o644, data)
	return a, nil
}

// environment returns the command's: a fixed one, so that equal runs are
// equal on every host, with the facts about the lab in SIGLAT_LAB.
func environment(b Boot, state *kernel.State, module string, qemu vm.Emulator) ([]string, error) {
	lab := map[string]string{
		"clock": b.Clock, "qemu": qemu.Text, "cpu": vm.CPU(b.Clock), "cpus": strconv.Itoa(b.CPUs),
		"accelerator": vm.Accelerator(b.Clock), "image_sha256": state.ImageSHA256, "kernel": b.Kernel,
	}
	if b.KernelArgs != "" {
		lab["kernel_args"] = b.KernelArgs
	}
	if b.Load != nil {
		lab["load"] = b.Load.String()
	}
	if module != "" {
		var err error
		if lab["module_compiler"], err = compiler(module); err != nil {
			return nil, err
		}
	}
	facts, err := json.Marshal(lab)
	if err != nil {
		return nil, err
	}
	env := []string{
		"PATH=/bin:" + workDir, "HOME=/tmp", "USER=root", "LANG=C", "SIGLAT_LAB=" + string(facts),
	}
	return append(env, b.Env...), nil
}
