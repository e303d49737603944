// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
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
	overlap     = 4096    // a line that crosses the end of a piece fits
	tallySize   = 1 << 20 // values below are counted in a table, exactly
	parallelMin = 4 * pieceSize
)

type tally struct {
	counts []uint64
	rest   plainReader
}

// readParallel reads f; ok is false when that must be done from the start by
// one reader, which finds the line of an error.
func readParallel(f *os.File, size int64) (d *analysis.Distribution, ok bool) {
	var next atomic.Int64
	var bad atomic.Bool
	n := min(runtime.GOMAXPROCS(0), 16)
	all := make([]*tally, n)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = &tally{make([]uint64, tallySize), plainReader{unit: 1, d: analysis.NewDistribution()}}
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
		for v, n := range t.counts {
			d.RecordN(int64(v), n)
		}
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
	return t.lines(b[start:end])
}

// newline returns the place after the first line end from i on, -1 without.
func newline(b []byte, i int) int {
	for ; i < len(b); i++ {
		if b[i] == '\n' {
			return i + 1
		}
	}
	return -1
}

// lines counts whole lines. Eight bytes at a time: the line end is found by
// the usual test for a zero byte, and up to seven digits become a number by
// three multiplications (Lemire: Number parsing at a gigabyte per second,
// 2021, section 3).
func (t *tally) lines(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	counts := t.counts[:tallySize]
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		x := w ^ ('\n' * ones)
		if x = (x - ones) &^ x & highs; x == 0 || x&0xff != 0 {
			n := newline(b, i)
			if n < 0 {
				n = len(b)
			}
			if _, err := t.rest.parse(b[i:n]); err != nil {
				return false
			}
			i = n
			continue
		}
		n := bits.TrailingZeros64(x) &^ 7 // bits of the digits
		v := w<<(64-n) | '0'*ones>>n
		if v&(0xf0*ones)|((v+0x06*ones)&(0xf0*ones))>>4 != 0x33*ones {
			k := i + n/8 + 1
			if _, err := t.rest.parse(b[i:k]); err != nil {
				return false
			}
			i = k
			continue
		}
		v -= '0' * ones
		v = v*10 + v>>8
		v = ((v&0x000000ff000000ff)*0x000f424000000064 + (v>>16&0x000000ff000000ff)*0x0000271000000001) >> 32
		i += n/8 + 1
		if v = v & 0xffffffff; v < tallySize {
			counts[v]++
		} else {
			t.rest.d.Record(int64(v))
		}
	}
	_, err := t.rest.parse(b[i:])
	return err == nil
}

// parallel reads s on all processors where it is a large regular file of
// plain integers; ok is false where it is not.
func (s *source) parallel() (recs []*recording.Recording, ok bool, err error) {
	if s.file == nil || s.sink != nil || s.unitOr(1) != 1 {
		return nil, false, nil
	}
	fi, err := s.file.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() < parallelMin {
		return nil, false, nil
	}
	d, ok := readParallel(s.file, fi.Size())
	if !ok {
		return nil, false, nil
	}
	if d.Count() == 0 {
		return nil, false, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	return []*recording.Recording{s.recordingOf(d)}, true, nil
}
