// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// maxTries is how many releases of a kernel are tried: a mirror may list the
// newest ones without having them.
const maxTries = 4

// fetch downloads and unpacks the newest release of a kernel that can be had.
func (st *Store) fetch(ctx context.Context, k Kernel) error {
	a, err := st.openArchive(ctx, k.Suite)
	if err != nil {
		return err
	}
	images, err := a.images(ctx, k)
	if err != nil {
		return err
	}
	if !a.own() {
		if err := st.ensureTools(ctx, a); err != nil {
			return fmt.Errorf("compiler of suite %s: %w", k.Suite, err)
		}
	}
	var errs []error
	for _, image := range images[:min(len(images), maxTries)] {
		err := st.fetchImage(ctx, a, k, image)
		if err == nil || ctx.Err() != nil {
			return err
		}
		st.logf("kernel %s: %v", k.Name, err)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// fetchImage downloads and unpacks beside the kernel's final place and
// renames to it when all is whole.
func (st *Store) fetchImage(ctx context.Context, a archive, k Kernel, image string) error {
	pkgs, err := a.resolve(ctx, image)
	if err != nil {
		return err
	}
	parent := filepath.Dir(st.kernelDir(k.Name))
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, "."+k.Name+".")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	st.logf("kernel %s: downloading %s and its headers", k.Name, image)
	if err := a.download(ctx, tmp, pkgs); err != nil {
		return err
	}
	st.logf("kernel %s: unpacking", k.Name)
	s, err := unpack(ctx, tmp, releaseOf(image), pkgs)
	if err != nil {
		return err
	}
	s.Name = k.Name
	if !a.own() {
		s.Tools = a.suite
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, stateFile), append(data, '\n'), 0o666); err != nil {
		return err
	}
	// A folder without a state file is what is left of an older layout.
	if err := os.RemoveAll(st.kernelDir(k.Name)); err != nil {
		return err
	}
	return os.Rename(tmp, st.kernelDir(k.Name))
}

func unpack(ctx context.Context, dir, release string, pkgs []debPackage) (*State, error) {
	s := &State{
		Release: release, Version: pkgs[0].Version,
		Image: "vmlinuz", Headers: "usr/src/linux-headers-" + release,
	}
	for i, p := range pkgs {
		deb, err := findDeb(dir, p.Name)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.ImageSHA256, err = extractImage(ctx, deb, filepath.Join(dir, s.Image))
		} else {
			_, err = runTool(ctx, "", "dpkg-deb", "-x", deb, dir)
		}
		if err != nil {
			return nil, fmt.Errorf("unpack %s: %w", filepath.Base(deb), err)
		}
		if err := os.Remove(deb); err != nil {
			return nil, err
		}
	}
	return s, relocate(filepath.Join(dir, s.Headers))
}

// extractImage copies the one file with the kernel, which is 1 % of most image
// packages, and returns its SHA-256.
func extractImage(ctx context.Context, deb, out string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("dpkg-deb: %w (run scripts/deps.sh)", err)
	}
	sum, err := copyImage(tar.NewReader(pipe), out)
	cancel()
	_ = cmd.Wait() // killed once the image is read
	return sum, err
}

func copyImage(tr *tar.Reader, out string) (string, error) {
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return "", errors.New("no vmlinuz in the package")
		}
		if err != nil {
			return "", err
		}
		// In /boot, or since Linux 7.3 beside the modules.
		if !strings.HasPrefix(path.Base(h.Name), "vmlinuz") || h.Typeflag != tar.TypeReg {
			continue
		}
		f, err := os.Create(out)
		if err != nil {
			return "", err
		}
		hash := sha256.New()
		_, err = io.Copy(io.MultiWriter(f, hash), tr)
		return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, f.Close())
	}
}

// relocate makes a build tree of Debian's headers package usable where it
// was unpacked: its Makefiles include the common tree by absolute path. The
// replacement is relative to each file, so that the tree may be moved.
func relocate(headers string) error {
	for _, name := range []string{"Makefile", ".kernelvariables"} {
		path := filepath.Join(headers, name)
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) && name != "Makefile" {
			continue
		}
		if err != nil {
			return err
		}
		here := "$(dir $(abspath $(lastword $(MAKEFILE_LIST))))../"
		fixed := strings.ReplaceAll(string(text), "/usr/src/", here)
		if err := os.WriteFile(path, []byte(fixed), 0o666); err != nil {
			return err
		}
	}
	return nil
}
