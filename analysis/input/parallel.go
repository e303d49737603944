// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// Large regular files of plain integers are read by all processors: each
// takes the next piece of the file, with the lines that start in it. A piece
// that holds anything but short lines of digits is parsed as a stream is.

const (
	pieceSize   = 1 << 20
	overlap     = 4096 // a line that crosses the end of a piece fits
	parallelMin = 4 * pieceSize
)

// readParallel reads f; ok is false when that must be done from the start by
// one reader, which finds the line of an error.
func readParallel(f *os.File, size, unit int64) (d *analysis.Distribution, ok bool) {
	var next atomic.Int64
	var bad atomic.Bool
	n := min(runtime.GOMAXPROCS(0), 16)
	all := make([]*tally, n)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = newTally(unit)
		wg.Add(1)
		go func(t *tally) {
			defer wg.Done()
			buf := make([]byte, 1+pieceSize+overlap)
			for !bad.Load() {
				at := (next.Add(1) - 1) * pieceSize
				if at >= size {
					return
				}
				if !t.piece(f, at, buf) {
					bad.Store(true)
				}
			}
		}(all[i])
	}
	wg.Wait()
	if bad.Load() {
		return nil, false
	}
	d = analysis.NewDistribution()
	for _, t := range all {
		t.fold()
		d.Merge(t.rest.d)
	}
	return d, true
}

// piece counts the lines that start in [at, at+pieceSize).
func (t *tally) piece(f *os.File, at int64, buf []byte) bool {
	from := max(at-1, 0)
	n, err := f.ReadAt(buf, from)
	if err != nil && err != io.EOF {
		return false
	}
	b := buf[:n]
	start := 0
	if at > 0 { // the line in progress belongs to the piece before
		start = newline(b, 0)
	}
	end := len(b)
	if limit := int(at-from) + pieceSize; len(b) > limit {
		if end = newline(b, limit-1); end < 0 && err != io.EOF {
			return false // a line longer than the overlap
		}
		if end < 0 {
			end = len(b)
		}
	}
	if start < 0 || start > end {
		return start < 0 && err == io.EOF || start > end
	}
	return t.parse(b[start:end]) && !t.rest.wide
}

// newline returns the place after the first line end from i on, -1 without.
func newline(b []byte, i int) int {
	n := bytes.IndexByte(b[i:], '\n')
	if n < 0 {
		return -1
	}
	return i + n + 1
}

// parallel reads s on all processors where it is a large regular file of
// plain integers; ok is false where it is not.
func (s *source) parallel() (recs []*recording.Recording, ok bool, err error) {
	if s.file == nil || s.sink != nil {
		return nil, false, nil
	}
	fi, err := s.file.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() < parallelMin {
		return nil, false, nil
	}
	d, ok := readParallel(s.file, fi.Size(), s.unitOr(1))
	if !ok {
		return nil, false, nil
	}
	if d.Count() == 0 {
		return nil, false, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	return []*recording.Recording{s.recordingOf(d)}, true, nil
}
