// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Store is the part of a source tree in which kernels and modules are kept:
// ROOT/build/kernels/NAME and ROOT/build/kmod/NAME.
type Store struct {
	Root   string    // the source tree: go.mod, kmod/
	Log    io.Writer // progress lines and compiler warnings; nil for none
	Werror bool      // a compiler warning fails the build of a module
}

// A State describes a fetched kernel. It is written last, so that what it
// describes is whole.
type State struct {
	Name        string `json:"name"`
	Release     string `json:"release"` // uname -r
	Version     string `json:"version"` // of the Debian package
	Image       string `json:"image"`   // bzImage, relative to Dir
	Headers     string `json:"headers"` // build tree, relative to Dir
	ImageSHA256 string `json:"image_sha256"`
	Tools       string `json:"tools,omitempty"` // suite whose compiler builds modules, empty for this system's
	Dir         string `json:"-"`               // absolute
}

// ImagePath returns the absolute path of the bootable image.
func (s *State) ImagePath() string { return filepath.Join(s.Dir, s.Image) }

// HeadersPath returns the absolute path of the build tree for modules.
func (s *State) HeadersPath() string { return filepath.Join(s.Dir, s.Headers) }

const stateFile = "kernel.json"

func (st *Store) kernelDir(name string) string {
	return filepath.Join(st.Root, "build", "kernels", name)
}

func (st *Store) moduleDir(name string) string {
	return filepath.Join(st.Root, "build", "kmod", name)
}

// State returns the state of a fetched kernel, or an error that is
// [fs.ErrNotExist] when it has not been fetched.
func (st *Store) State(k Kernel) (*State, error) {
	dir := st.kernelDir(k.Name)
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		return nil, err
	}
	s := &State{Dir: dir}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read %s: %w (remove the folder and fetch again)",
			filepath.Join(dir, stateFile), err)
	}
	if s.Tools != "" {
		if _, err := os.Stat(st.toolsDir(s.Tools)); err != nil {
			return nil, err // without its compiler a kernel is of no use
		}
	}
	return s, nil
}

// Ensure returns the state of a kernel and fetches it when it is not there
// yet. With a kernel in the store it uses neither apt nor network.
func (st *Store) Ensure(ctx context.Context, k Kernel) (*State, error) {
	if s, err := st.State(k); !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err := notBuilt(k); err != nil {
		return nil, err
	}
	unlock, err := st.lock("kernel-" + k.Name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s, err := st.State(k); !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err := st.fetch(ctx, k); err != nil {
		return nil, fmt.Errorf("fetch kernel %s: %w", k.Name, err)
	}
	return st.State(k)
}

// lock takes an advisory lock against other siglab processes; it waits.
func (st *Store) lock(what string) (func(), error) {
	dir := filepath.Join(st.Root, "build", "locks")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, what), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { f.Close() }, nil
}

func (st *Store) logf(format string, args ...any) {
	if st.Log != nil {
		fmt.Fprintf(st.Log, format+"\n", args...)
	}
}
