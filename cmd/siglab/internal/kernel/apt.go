// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A debPackage is a package to download; Version may be empty for the newest.
type debPackage struct{ Name, Version string }

func (p debPackage) String() string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + "=" + p.Version
}

var dependency = regexp.MustCompile(`^\s*(\S+?)(?::\w+)?\s*(?:\(=\s*(\S+?)\s*\))?\s*$`)

// parseStanza returns, of the first stanza of apt-cache show's output, the
// version, and the first alternative of each dependency with its version where
// that is exact.
func parseStanza(show string) (version string, deps []debPackage) {
	stanza, _, _ := strings.Cut(show, "\n\n")
	for line := range strings.Lines(stanza) {
		if v, ok := strings.CutPrefix(line, "Version:"); ok {
			version = strings.TrimSpace(v)
		}
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "Depends:")
		if !ok {
			continue
		}
		for entry := range strings.SplitSeq(list, ",") {
			first, _, _ := strings.Cut(entry, "|")
			if m := dependency.FindStringSubmatch(first); m != nil {
				deps = append(deps, debPackage{m[1], m[2]})
			} else if name := strings.Fields(first); len(name) > 0 {
				deps = append(deps, debPackage{Name: name[0]})
			}
		}
	}
	return version, deps
}

// images returns the image packages that a kernel may be, the newest first.
func (a archive) images(ctx context.Context, k Kernel) ([]string, error) {
	prefix, _, _ := strings.Cut(k.Image, "#")
	names, err := a.run(ctx, "", "apt-cache", "pkgnames", prefix)
	if err != nil {
		return nil, err
	}
	images := matching(k.Image, strings.Fields(names))
	if len(images) == 0 {
		return nil, fmt.Errorf("apt knows no package %s in suite %s (# is a number; run apt-get update as root)", k.Image, a.suite)
	}
	return images, nil
}

// matching returns the names that have a number where the pattern has a #,
// the highest number first.
func matching(pattern string, names []string) []string {
	prefix, suffix, _ := strings.Cut(pattern, "#")
	found := map[int]string{}
	for _, name := range names {
		text, ok := strings.CutPrefix(name, prefix)
		text, ok2 := strings.CutSuffix(text, suffix)
		if n, err := strconv.Atoi(text); ok && ok2 && err == nil && n >= 0 {
			found[n] = name
		}
	}
	var sorted []string
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(found))) {
		sorted = append(sorted, found[n])
	}
	return sorted
}

// resolve asks apt which packages an image and its build tree are made of:
// the one with the kernel first.
func (a archive) resolve(ctx context.Context, image string) ([]debPackage, error) {
	release := releaseOf(image)
	version, deps, err := a.show(ctx, image)
	if err != nil {
		return nil, err
	}
	// Since Linux 7.3 the image package is empty and depends on the kernel's.
	pkgs := []debPackage{{image, version}}
	for _, d := range deps {
		if d.Name == "linux-binary-"+release {
			pkgs[0] = d
		}
	}
	headers := debPackage{"linux-headers-" + release, version}
	pkgs = append(pkgs, headers)
	if _, deps, err = a.show(ctx, headers.String()); err != nil {
		return nil, err
	}
	for _, d := range deps {
		if strings.HasPrefix(d.Name, "linux-headers-") || strings.HasPrefix(d.Name, "linux-kbuild-") {
			pkgs = append(pkgs, d)
		}
	}
	return pkgs, nil
}

// releaseOf returns what uname -r says under the kernel of an image package.
func releaseOf(image string) string { return strings.TrimPrefix(image, "linux-image-") }

// show returns version and dependencies of a package, NAME or NAME=VERSION.
func (a archive) show(ctx context.Context, name string) (version string, deps []debPackage, err error) {
	out, err := a.run(ctx, "", "apt-cache", "show", "--no-all-versions", name)
	if err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			return "", nil, err
		}
		return "", nil, fmt.Errorf("apt knows no package %s in suite %s (run apt-get update as root)", name, a.suite)
	}
	version, deps = parseStanza(out)
	if version == "" || len(deps) == 0 {
		return "", nil, fmt.Errorf("package %s has no version or no dependencies (run apt-get update as root)", name)
	}
	return version, deps, nil
}

// download puts the packages' .deb files into dir.
func (a archive) download(ctx context.Context, dir string, pkgs []debPackage) error {
	args := []string{"-q", "download"}
	for _, p := range pkgs {
		args = append(args, p.String())
	}
	if _, err := a.run(ctx, dir, "apt-get", args...); err != nil {
		return fmt.Errorf("download: %w (is there a network? are the lists old? run apt-get update as root)", err)
	}
	return nil
}

// findDeb returns the file that apt-get download made for the package.
func findDeb(dir, pkg string) (string, error) {
	found, _ := filepath.Glob(filepath.Join(dir, pkg+"_*.deb"))
	if len(found) != 1 {
		return "", fmt.Errorf("apt-get download made %d files for %s", len(found), pkg)
	}
	return found[0], nil
}

// runTool runs a program and returns its standard output; the error holds the
// last lines of its standard error.
func runTool(ctx context.Context, dir, name string, args ...string) (string, error) {
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("%s is missing (a Debian system is needed; run scripts/deps.sh)", name)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s: %w: %s", name, err, lastLines(stderr.String(), 2))
	}
	return stdout.String(), nil
}

// lastLines returns the last n lines that are not blank, joined by "; ".
func lastLines(s string, n int) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "; ")
}
