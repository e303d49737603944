// SPDX-License-Identifier: GPL-2.0-only

// Package runner runs a plan, in the lab or on this host, and puts whole
// results, and only those, into place.
package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"siglat/analysis/recording"
)

// A slot is where one run's result shall be.
type slot struct {
	final string // OUT/NAME
	tmp   string // OUT/.NAME.siglab-NNN, holds NAME
	name  string
}

// newSlot makes the temporary folder beside the final one. A folder there
// that is no result is an error: it is not ours to replace.
func newSlot(out, name string) (*slot, error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, fmt.Errorf("make result folder: %w", err)
	}
	s := &slot{final: filepath.Join(out, name), name: name}
	entries, err := os.ReadDir(s.final)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look at old result: %w", err)
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(s.final, "run.json")); err != nil {
			return nil, fmt.Errorf("%s is there and holds no run (remove it, or choose another -o)", s.final)
		}
	}
	s.tmp, err = os.MkdirTemp(out, "."+name+".siglab-")
	if err != nil {
		return nil, fmt.Errorf("make result folder: %w", err)
	}
	return s, nil
}

// dir is the folder that the run writes.
func (s *slot) dir() string { return filepath.Join(s.tmp, s.name) }

// commit checks that the result is whole and moves it into place.
func (s *slot) commit() error {
	rec, err := recording.Open(s.dir())
	if err != nil {
		return fmt.Errorf("check result: %w", err)
	}
	if !rec.HasRun || !rec.Complete {
		return errors.New("check result: the recording is not complete")
	}
	old := filepath.Join(s.tmp, "replaced")
	if err := os.Rename(s.final, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace old result: %w", err)
	}
	if err := os.Rename(s.dir(), s.final); err != nil {
		return errors.Join(fmt.Errorf("put result into place: %w", err), os.Rename(old, s.final))
	}
	return nil
}

// discard removes what is temporary.
func (s *slot) discard() { _ = os.RemoveAll(s.tmp) }
