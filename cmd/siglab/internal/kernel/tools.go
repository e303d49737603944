// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildPackages are what kbuild runs for a module.
var buildPackages = []string{
	"base-files", "gcc", "make", "libelf1", "dash", "coreutils", "sed", "grep", "mawk", "findutils", "diffutils",
}

// toolsDir is where the compiler and the C library of a suite lie, unpacked:
// headers name their compiler, and their programs may need a newer C library
// than this system's.
func (st *Store) toolsDir(suite string) string {
	return st.kernelDir(".tools-" + suite)
}

// ensureTools fetches what [buildPackages] names with all that it depends on.
func (st *Store) ensureTools(ctx context.Context, a archive) error {
	return st.ensureTree(".tools-"+a.suite, func(tmp string) error {
		debs := filepath.Join(tmp, "mnt", "deb")
		if err := os.MkdirAll(filepath.Join(debs, "partial"), 0o755); err != nil {
			return err
		}
		st.logf("suite %s: fetching its compiler", a.suite)
		args := []string{"-q", "-y", "--no-install-recommends", "--download-only", "-o", "Dir::Cache::Archives=" + debs, "install"}
		if _, err := a.run(ctx, "", "apt-get", append(args, buildPackages...)...); err != nil {
			return fmt.Errorf("download: %w", err)
		}
		if err := unpackAll(ctx, debs, tmp); err != nil {
			return err
		}
		return errors.Join(os.RemoveAll(debs), completeTools(tmp))
	})
}

// qemuPackages are the emulator's; its libraries are those of the older one
// that is installed.
var qemuPackages = []debPackage{{Name: "qemu-system-x86"}, {Name: "qemu-system-common"}, {Name: "qemu-system-data"}, {Name: "seabios"}}

// EnsureQEMU returns the folder of an unpacked emulator that is newer than the
// one of Debian 12, and fetches it from the backports when it is not there yet.
func (st *Store) EnsureQEMU(ctx context.Context) (string, error) {
	const name = ".qemu"
	err := st.ensureTree(name, func(tmp string) error {
		a, err := st.openArchive(ctx, "bookworm-backports")
		if err != nil {
			return err
		}
		// apt prefers what is not a backport.
		a.options = append(a.options, "-o", "APT::Default-Release="+a.suite)
		st.logf("fetching a newer QEMU")
		if err := a.download(ctx, tmp, qemuPackages); err != nil {
			return err
		}
		return unpackAll(ctx, tmp, tmp)
	})
	if err != nil {
		return "", fmt.Errorf("fetch QEMU: %w", err)
	}
	return st.kernelDir(name), nil
}

// ensureTree makes a folder beside the kernels, whole or not at all, unless it
// is there.
func (st *Store) ensureTree(name string, fill func(tmp string) error) error {
	unlock, err := st.lock(name)
	if err != nil {
		return err
	}
	defer unlock()
	dir := st.kernelDir(name)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	tmp := dir + ".new"
	if err := errors.Join(os.RemoveAll(tmp), os.MkdirAll(tmp, 0o755)); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

// unpackAll unpacks the packages in a folder, and removes them.
func unpackAll(ctx context.Context, debs, into string) error {
	found, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err != nil {
		return err
	}
	for _, deb := range found {
		if _, err := runTool(ctx, "", "dpkg-deb", "-x", deb, into); err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(deb), err)
		}
		if err := os.Remove(deb); err != nil {
			return err
		}
	}
	return nil
}

// completeTools does what the packages' scripts would do, as far as it is
// needed, and makes the places to mount on.
func completeTools(dir string) error {
	for _, mount := range []string{"dev", "proc", "mnt/kernel", "mnt/module"} {
		if err := os.MkdirAll(filepath.Join(dir, mount), 0o755); err != nil {
			return err
		}
	}
	for link, target := range map[string]string{"usr/bin/awk": "mawk", "bin/sh": "dash"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "dev/null"), nil, 0o666)
}

// enter mounts kernel and module inside of the tools, where nobody else sees
// the mounts, and runs make there.
const enter = `mount --bind "$2" "$1/mnt/kernel"
mount --bind "$3" "$1/mnt/module"
mount --bind /dev/null "$1/dev/null"
mount --rbind /proc "$1/proc"
PATH=$PATH:/usr/sbin:/sbin
exec chroot "$1" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C make -C /mnt/module KDIR="/mnt/kernel/$4" W=1`

// makeCommand returns the command that builds the module in dir. Without
// tools it is this system's make.
func (st *Store) makeCommand(ctx context.Context, dir string, s *State) (*exec.Cmd, error) {
	need, args := []string{"make", "gcc"}, []string{"make", "-C", dir, "KDIR=" + s.HeadersPath(), "W=1"}
	if s.Tools != "" {
		need, args = []string{"unshare"}, []string{"unshare", "--mount"}
		if os.Geteuid() != 0 {
			args = append(args, "--map-root-user")
		}
		args = append(args, "sh", "-ec", enter, "sh", st.toolsDir(s.Tools), s.Dir, dir, s.Headers)
	}
	for _, tool := range need {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("build module: %s is missing (run scripts/deps.sh)", tool)
		}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(cleanMakeEnv(os.Environ()), "LC_ALL=C")
	return cmd, nil
}

// cleanMakeEnv drops what a make above us would pass on to kbuild.
func cleanMakeEnv(env []string) []string {
	var out []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ARCH", "CROSS_COMPILE", "M", "O", "KDIR":
		default:
			out = append(out, e)
		}
	}
	return out
}
