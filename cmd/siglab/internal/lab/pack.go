// SPDX-License-Identifier: GPL-2.0-only

package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"siglat/cmd/siglab/internal/initramfs"
	"siglat/cmd/siglab/internal/load"
)

// workDir is the guest's working folder: copies without a path of their own
// and a test's testdata lie in it.
const workDir = "/home"

// packCommand packs the program, its libraries and all copies, and returns
// the guest's command line. A test binary gets the testdata folder beside it,
// so that go test -exec works.
func packCommand(a *initramfs.Archive, b Boot) ([]string, error) {
	program, guest, err := packNamed(a, b.Command[0])
	if err != nil {
		return nil, err
	}
	for _, c := range b.Copies {
		if err := packCopy(a, c); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(program, ".test") {
		err := packTree(a, path.Join(workDir, "testdata"), "testdata")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	a.Dir(workDir, 0o755)
	return append([]string{guest}, b.Command[1:]...), nil
}

// packNamed packs the program of a name and returns its paths on the host and
// in the guest.
func packNamed(a *initramfs.Archive, name string) (program, guest string, err error) {
	if program, err = exec.LookPath(name); err != nil {
		return "", "", fmt.Errorf("pack: %w", err)
	}
	guest = "/bin/" + filepath.Base(program)
	return program, guest, packProgram(a, guest, program)
}

// packLoad packs the program of a load and returns the guest's load.
func packLoad(a *initramfs.Archive, l *load.Load) (*load.Load, error) {
	if l == nil {
		return nil, nil
	}
	_, guest, err := packNamed(a, l.Args[0])
	if err != nil {
		return nil, fmt.Errorf("load %s: %w (hackbench and cyclictest: package rt-tests; stress-ng: package stress-ng)", l.Args[0], err)
	}
	return &load.Load{CPU: l.CPU, Args: append([]string{guest}, l.Args[1:]...)}, nil
}

// packCopy packs FILE or FILE:GUESTPATH; a folder with all that is in it.
func packCopy(a *initramfs.Archive, spec string) error {
	host, guest, found := strings.Cut(spec, ":")
	if !found || guest == "" {
		guest = filepath.Base(host)
	}
	if !path.IsAbs(guest) {
		guest = path.Join(workDir, guest)
	}
	info, err := os.Stat(host)
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	if info.IsDir() {
		return packTree(a, guest, host)
	}
	return packFile(a, guest, host)
}

func packTree(a *initramfs.Archive, guest, host string) error {
	if _, err := os.Stat(host); err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	return filepath.WalkDir(host, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("pack: %w", err)
		}
		rel, err := filepath.Rel(host, p)
		if err != nil {
			return err
		}
		to := path.Join(guest, filepath.ToSlash(rel))
		switch {
		case d.IsDir():
			a.Dir(to, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return fmt.Errorf("pack: %w", err)
			}
			a.Link(to, target)
		case d.Type().IsRegular():
			return packFile(a, to, p)
		}
		return nil
	})
}

// packFile packs a file and, if it is a program for the guest, its libraries.
func packFile(a *initramfs.Archive, guest, host string) error {
	info, err := os.Stat(host)
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	if info.Mode()&0o111 != 0 && isELF(host) {
		return packProgram(a, guest, host)
	}
	return a.Host(guest, host)
}

func packProgram(a *initramfs.Archive, guest, host string) error {
	libs, err := libraries(host)
	if err != nil {
		return err
	}
	for _, lib := range libs {
		if abs, err := filepath.Abs(lib); err == nil && !a.Has(abs) {
			if err := a.Host(abs, lib); err != nil {
				return err
			}
		}
	}
	return a.Host(guest, host)
}
