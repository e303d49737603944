// SPDX-License-Identifier: GPL-2.0-only

// Package atomicfile writes files that are either whole or not there.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write creates or replaces the file at path with what write writes. A
// regular file appears under its name only when all of it is on disk; after
// an error the old file, if any, is unchanged. A symbolic link is followed,
// and a device or pipe is written directly. Errors name path and wrap the
// error of the operating system, such as ENOSPC.
func Write(path string, write func(io.Writer) error) error {
	target := path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		target = resolved
	}
	fi, err := os.Stat(target)
	switch {
	case err == nil && fi.IsDir():
		return fmt.Errorf("write %s: is a directory", path)
	case err == nil && !fi.Mode().IsRegular():
		return writeDirect(path, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	if err := replace(target, fi, write); err != nil {
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	return nil
}

func replace(target string, old fs.FileInfo, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(target)
	// os.CreateTemp would hide the file from others; this leaves the mode to
	// the umask.
	name := filepath.Join(dir, fmt.Sprintf(".%s.%d.tmp", filepath.Base(target), os.Getpid()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(name)
		}
	}()
	if old != nil {
		if err = f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err = buffered(f, write); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(name, target); err != nil {
		return err
	}
	return SyncDir(dir)
}

func writeDirect(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(buffered(f, write), f.Close())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	return nil
}

func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// SyncDir makes renames in dir durable. File systems that cannot sync a
// directory report EINVAL, which is no error.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}

// reason strips operation and name of a temporary file from err.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
