// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// ModuleName is the file name of the module.
const ModuleName = "siglat.ko"

// Module returns the path of the module built for a fetched kernel and
// builds it when its sources or the kernel have changed since the last time.
// Several processes may call it at once.
func (st *Store) Module(ctx context.Context, s *State) (string, error) {
	return st.build(ctx, s, false)
}

// Rebuild is [Store.Module] that always builds.
func (st *Store) Rebuild(ctx context.Context, s *State) (string, error) {
	return st.build(ctx, s, true)
}

// HostModule returns the path of the module built for the running kernel of
// this host.
func (st *Store) HostModule(ctx context.Context, release string) (string, error) {
	s := &State{Name: "host-" + release, Release: release, Dir: filepath.Join("/lib/modules", release), Headers: "build"}
	if _, err := os.Stat(filepath.Join(s.HeadersPath(), "Makefile")); err != nil {
		return "", fmt.Errorf("build module: no headers of the running kernel in %s (install linux-headers-%s)",
			s.HeadersPath(), release)
	}
	return st.build(ctx, s, false)
}

// ModuleBuilt tells whether a module for the kernel is there and newer than
// its sources.
func (st *Store) ModuleBuilt(s *State) bool {
	stamp, _, err := st.sources(s.Release)
	return err == nil && st.upToDate(st.moduleDir(s.Name), stamp)
}

func (st *Store) upToDate(dir, stamp string) bool {
	have, err := os.ReadFile(filepath.Join(dir, "siglab.stamp"))
	if err != nil || string(have) != stamp {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, ModuleName))
	return err == nil
}

func (st *Store) build(ctx context.Context, s *State, force bool) (string, error) {
	unlock, err := st.lock("kmod-" + s.Name)
	if err != nil {
		return "", err
	}
	defer unlock()
	stamp, files, err := st.sources(s.Release)
	if err != nil {
		return "", fmt.Errorf("build module: %w", err)
	}
	dir := st.moduleDir(s.Name)
	module := filepath.Join(dir, ModuleName)
	if !force && st.upToDate(dir, stamp) {
		return module, nil
	}
	// A fresh folder each time: kbuild keeps absolute paths of older ones.
	tmp := dir + ".new"
	if err := errors.Join(os.RemoveAll(tmp), os.MkdirAll(tmp, 0o777)); err != nil {
		return "", fmt.Errorf("build module: %w", err)
	}
	defer os.RemoveAll(tmp)
	for _, f := range files {
		if err := copyFile(f, filepath.Join(tmp, filepath.Base(f))); err != nil {
			return "", fmt.Errorf("build module: %w", err)
		}
	}
	st.logf("kernel %s: building the module", s.Name)
	if err := st.make(ctx, tmp, s); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(tmp, "siglab.stamp"), []byte(stamp), 0o666); err != nil {
		return "", fmt.Errorf("build module: %w", err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(tmp, dir)); err != nil {
		return "", fmt.Errorf("build module: %w", err)
	}
	return module, nil
}

func (st *Store) make(ctx context.Context, dir string, s *State) error {
	cmd, err := st.makeCommand(ctx, dir, s)
	if err != nil {
		return err
	}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	warnings := 0
	for line := range strings.Lines(string(out)) {
		// Kbuild asks for pahole even where no BTF is made.
		if strings.Contains(line, "warning:") && !strings.Contains(line, "pahole version differs") {
			st.logf("%s", strings.TrimSpace(line))
			warnings++
		}
	}
	log := filepath.Join(filepath.Dir(dir), s.Release+".log")
	if err != nil {
		_ = os.WriteFile(log, out, 0o666)
		return fmt.Errorf("build module for %s: %s (all of make's output: %s; missing tools: scripts/deps.sh)",
			s.Release, firstError(string(out)), log)
	}
	if warnings > 0 && st.Werror {
		return fmt.Errorf("build module for %s: %d warnings", s.Release, warnings)
	}
	_ = os.Remove(log)
	return nil
}

func firstError(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "rror:") || strings.Contains(line, "not found") ||
			strings.Contains(line, "No such file") || strings.Contains(line, "No rule") {
			return strings.TrimSpace(line)
		}
	}
	return lastLines(out, 2)
}

// sources returns the files of kmod/ that make the module, and a stamp of
// their content and the kernel's release.
func (st *Store) sources(release string) (string, []string, error) {
	dir := filepath.Join(st.Root, "kmod")
	var files []string
	for _, pattern := range []string{"*.c", "*.h", "Makefile", "Kbuild"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return "", nil, err
		}
		for _, f := range found {
			if !strings.HasSuffix(f, ".mod.c") {
				files = append(files, f)
			}
		}
	}
	sort.Strings(files)
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n", release)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintf(hash, "%s %d\n", filepath.Base(f), len(data))
		hash.Write(data)
	}
	if len(files) == 0 {
		return "", nil, fmt.Errorf("no module sources in %s", dir)
	}
	return hex.EncodeToString(hash.Sum(nil)), files, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
