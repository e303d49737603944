// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
	"io"
	"iter"
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
	pieceSize   = 1 << 18
	overlap     = 4096 // a line that crosses the end of a piece fits
	parallelMin = 4 * pieceSize
)

// pieces has all processors work on a file of a size, each on the pieces that
// begin at the offsets which it gets; ok is false when one of them gave up.
func pieces(size, piece int64, work func(offsets iter.Seq[int64]) bool) (ok bool) {
	var next atomic.Int64
	var bad atomic.Bool
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 16) {
		wg.Go(func() {
			if !work(func(yield func(int64) bool) {
				for !bad.Load() {
					if at := (next.Add(1) - 1) * piece; at >= size || !yield(at) {
						return
					}
				}
			}) {
				bad.Store(true)
			}
		})
	}
	wg.Wait()
	return !bad.Load()
}

// readParallel reads f; ok is false when that must be done from the start by
// one reader, which finds the line of an error.
func readParallel(f *os.File, size, unit int64) (d *analysis.Distribution, ok bool) {
	d = analysis.NewDistribution()
	var mu sync.Mutex
	ok = pieces(size, pieceSize, func(offsets iter.Seq[int64]) bool {
		p := &pieceReader{newTally(unit), make([]byte, 1+pieceSize+overlap)}
		for at := range offsets {
			if !p.read(f, at) {
				return false
			}
		}
		p.fold()
		mu.Lock()
		defer mu.Unlock()
		d.Merge(p.rest.d)
		return true
	})
	return d, ok
}

// A pieceReader counts the lines of pieces of a file.
type pieceReader struct {
	*tally
	buf []byte
}

// read counts the lines that start in [at, at+pieceSize).
func (p *pieceReader) read(f *os.File, at int64) bool {
	from := max(at-1, 0)
	n, err := f.ReadAt(p.buf, from)
	if err != nil && err != io.EOF {
		return false
	}
	b := p.buf[:n]
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
	return p.parse(b[start:end]) && !p.rest.wide
}

// newline returns the place after the first line end from i on, -1 without.
func newline(b []byte, i int) int {
	n := bytes.IndexByte(b[i:], '\n')
	if n < 0 {
		return -1
	}
	return i + n + 1
}

// redirected returns standard input where it is a regular file from its start
// on, else nil.
func redirected(stdin io.Reader) *os.File {
	f, ok := stdin.(*os.File)
	if !ok {
		return nil
	}
	if at, err := f.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		return nil
	}
	return f
}

// large tells whether s is worth reading by all processors, and its size.
func (s *source) large() (size int64, ok bool) {
	if s.file == nil || s.sink != nil {
		return 0, false
	}
	fi, err := s.file.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() < parallelMin {
		return 0, false
	}
	return fi.Size(), true
}

// parallel reads s on all processors where it is a large regular file of
// plain integers; ok is false where it is not.
func (s *source) parallel() (recs []*recording.Recording, ok bool, err error) {
	size, ok := s.large()
	if !ok {
		return nil, false, nil
	}
	d, ok := readParallel(s.file, size, s.unitOr(1))
	if !ok {
		return nil, false, nil
	}
	if d.Count() == 0 {
		return nil, false, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	return []*recording.Recording{s.recordingOf(d)}, true, nil
}
