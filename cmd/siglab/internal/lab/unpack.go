// SPDX-License-Identifier: GPL-2.0-only

package lab

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// An unpacker writes a guest's results into a folder while they come.
type unpacker struct {
	*io.PipeWriter
	done chan error
}

func startUnpacking(dir string) *unpacker {
	r, w := io.Pipe()
	u := &unpacker{w, make(chan error, 1)}
	go func() {
		err := untar(r, dir)
		if err == nil {
			_, err = io.Copy(io.Discard, r) // zeros that fill the last block
		}
		r.CloseWithError(err)
		u.done <- err
	}()
	return u
}

// finish returns whether all results came; with whole false, the stream was
// cut and only the files that it wrote so far are there.
func (u *unpacker) finish(whole bool) error {
	u.Close()
	err := <-u.done
	if !whole {
		return nil
	}
	return err
}

// untar unpacks folders and files below dir; other kinds are errors.
func untar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpack results: %w", err)
	}
	defer root.Close()
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpack results: %w", err)
		}
		if err := untarEntry(root, h, tr); err != nil {
			return fmt.Errorf("unpack results: %w", err)
		}
	}
}

func untarEntry(root *os.Root, h *tar.Header, r io.Reader) error {
	name := filepath.FromSlash(h.Name)
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o777)
	case tar.TypeReg:
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		f, err := root.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("%s is neither file nor folder", h.Name)
}
