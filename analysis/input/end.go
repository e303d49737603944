// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"io"
	"os"

	"siglat/analysis/recording"
)

// lastByte passes on what it reads and keeps the last byte of it.
type lastByte struct {
	in   io.Reader
	last byte
}

// Read implements io.Reader.
func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if n > 0 {
		l.last = p[n-1]
	}
	return n, err
}

// see takes the last byte of a regular file, of which pieces may have been
// read by other ways than l.
func (l *lastByte) see(f *os.File) {
	if f == nil {
		return
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() == 0 {
		return
	}
	var b [1]byte
	if _, err := f.ReadAt(b[:], fi.Size()-1); err == nil {
		l.last = b[0]
	}
}

// noted warns in each recording of a text that does not end with a line end:
// all tools write one, so that the last line may be half of one.
func (s *source) noted(recs []*recording.Recording, last byte) []*recording.Recording {
	if !s.lines || last == '\n' {
		return recs
	}
	for _, r := range recs {
		r.Warnings = append(r.Warnings, "its last line has no end: the file may be cut off within it")
	}
	return recs
}
