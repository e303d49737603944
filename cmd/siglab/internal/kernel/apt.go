// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// parseDepends returns the first alternative of each dependency in the first
// stanza of apt-cache show's output, with its version where it is exact.
func parseDepends(show string) []debPackage {
	stanza, _, _ := strings.Cut(show, "\n\n")
	for line := range strings.Lines(stanza) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "Depends:")
		if !ok {
			continue
		}
		var deps []debPackage
		for entry := range strings.SplitSeq(list, ",") {
			first, _, _ := strings.Cut(entry, "|")
			if m := dependency.FindStringSubmatch(first); m != nil {
				deps = append(deps, debPackage{m[1], m[2]})
			} else if name := strings.Fields(first); len(name) > 0 {
				deps = append(deps, debPackage{Name: name[0]})
			}
		}
		return deps
	}
	return nil
}

// resolve asks apt which packages make up the newest kernel of a series:
// the image first, then the build tree's packages.
func resolve(ctx context.Context, k Kernel) ([]debPackage, error) {
	deps, err := aptDepends(ctx, debPackage{Name: k.Meta})
	if err != nil {
		return nil, err
	}
	var pkgs []debPackage
	for _, d := range deps {
		if strings.HasPrefix(d.Name, "linux-image-") {
			pkgs = []debPackage{d}
			break
		}
	}
	if pkgs == nil {
		return nil, fmt.Errorf("package %s depends on no linux-image package", k.Meta)
	}
	release := strings.TrimPrefix(pkgs[0].Name, "linux-image-")
	headers := debPackage{"linux-headers-" + release, pkgs[0].Version}
	pkgs = append(pkgs, headers)
	deps, err = aptDepends(ctx, headers)
	if err != nil {
		return nil, err
	}
	for _, d := range deps {
		if strings.HasPrefix(d.Name, "linux-headers-") || strings.HasPrefix(d.Name, "linux-kbuild-") {
			pkgs = append(pkgs, d)
		}
	}
	return pkgs, nil
}

func aptDepends(ctx context.Context, p debPackage) ([]debPackage, error) {
	out, err := runTool(ctx, "", "apt-cache", "show", "--no-all-versions", p.String())
	if err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			return nil, err
		}
		return nil, fmt.Errorf("apt knows no package %s (run apt-get update as root; Debian 12 has it)", p)
	}
	deps := parseDepends(out)
	if len(deps) == 0 {
		return nil, fmt.Errorf("package %s has no dependencies (run apt-get update as root)", p)
	}
	return deps, nil
}

// download puts the packages' .deb files into dir.
func download(ctx context.Context, dir string, pkgs []debPackage) error {
	// The sandbox user of apt cannot write below another user's folder.
	args := []string{"-q", "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3", "download"}
	for _, p := range pkgs {
		args = append(args, p.String())
	}
	if _, err := runTool(ctx, dir, "apt-get", args...); err != nil {
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
