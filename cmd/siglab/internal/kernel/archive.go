// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An archive is what apt knows of one suite of Debian.
type archive struct {
	suite   string
	options []string // for apt; none where the suite is this system's own
}

// own tells whether the suite is this system's own.
func (a archive) own() bool { return a.options == nil }

// openArchive returns the archive of a suite. Of another suite than this
// system's, apt keeps its lists in build/apt, from the same mirrors.
func (st *Store) openArchive(ctx context.Context, suite string) (archive, error) {
	targets, err := runTool(ctx, "", "apt-get", "indextargets",
		"--format", "$(LABEL) $(CODENAME) $(REPO_URI)", "Created-By: Packages")
	if err != nil {
		return archive{}, err
	}
	sources, own := sourcesOf(suite, targets)
	if own {
		return archive{suite: suite}, nil
	}
	if sources == "" {
		return archive{}, fmt.Errorf("apt knows no mirror of Debian to take suite %s from (see sources.list(5))", suite)
	}
	unlock, err := st.lock("apt-" + suite)
	if err != nil {
		return archive{}, err
	}
	defer unlock()
	a, err := makeArchive(filepath.Join(st.Root, "build", "apt", suite), sources)
	if err != nil {
		return archive{}, fmt.Errorf("suite %s: %w", suite, err)
	}
	a.suite = suite
	st.logf("suite %s: reading the package lists", suite)
	if _, err := a.run(ctx, "", "apt-get", "-q", "update"); err != nil {
		return archive{}, fmt.Errorf("package lists of suite %s: %w (is there a network?)", suite, err)
	}
	return a, nil
}

// sourcesOf returns the lines of sources.list(5) for a suite, on the mirrors
// of apt's index targets; own is set if apt knows the suite anyway. Suites of
// backports need the one below them, and a released one has security updates.
func sourcesOf(suite, targets string) (sources string, own bool) {
	mirrors := map[string]string{}
	for line := range strings.Lines(targets) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		mirrors[f[0]] = f[2]
		own = own || f[1] == suite
	}
	base, backports := strings.CutSuffix(suite, "-backports")
	add := func(mirror, suite string) {
		if mirror != "" {
			sources += "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] " + mirror + " " + suite + " main\n"
		}
	}
	add(mirrors["Debian"], base)
	add(mirrors["Debian-Security"], base+"-security")
	if backports {
		add(mirrors["Debian"], suite)
	}
	return sources, own
}

// makeArchive makes the folders that apt wants, and its options for them.
func makeArchive(dir, sources string) (archive, error) {
	list, status := filepath.Join(dir, "sources.list"), filepath.Join(dir, "status")
	lists, cache := filepath.Join(dir, "lists"), filepath.Join(dir, "cache")
	err := errors.Join(os.MkdirAll(filepath.Join(lists, "partial"), 0o777),
		os.MkdirAll(filepath.Join(cache, "archives", "partial"), 0o777))
	if err == nil {
		err = errors.Join(os.WriteFile(list, []byte(sources), 0o666), os.WriteFile(status, nil, 0o666))
	}
	return archive{options: []string{
		"-o", "Dir::Etc::SourceList=" + list, "-o", "Dir::Etc::SourceParts=/dev/null",
		"-o", "Dir::State::Lists=" + lists, "-o", "Dir::State::Status=" + status,
		"-o", "Dir::Cache=" + cache, "-o", "Acquire::Languages=none",
	}}, err
}

// run runs a program of apt. The sandbox user of apt cannot write below
// another user's folder.
func (a archive) run(ctx context.Context, dir, name string, args ...string) (string, error) {
	options := append([]string{"-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3"}, a.options...)
	return runTool(ctx, dir, name, append(options, args...)...)
}
