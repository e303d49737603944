// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"math/bits"
	"os"
	"sync"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// jitterdebugger's samples.raw: records of 28 bytes in the byte order of the
// recording machine: u32 thread, i64 s, i64 ns, u64 value in µs. Large regular
// files are read by all processors.

const (
	rawSize  = 28
	rawPiece = rawSize * 9000
)

// A rawRecord is one sample in the byte order of this program.
type rawRecord struct {
	thread           uint32
	secs, nanos, val uint64
}

// rawOf reads a record; swapped tells that it is big-endian.
func rawOf(r []byte, swapped bool) rawRecord {
	_ = r[rawSize-1]
	v := rawRecord{binary.LittleEndian.Uint32(r), binary.LittleEndian.Uint64(r[4:]), binary.LittleEndian.Uint64(r[12:]), binary.LittleEndian.Uint64(r[20:])}
	if swapped {
		v = rawRecord{bits.ReverseBytes32(v.thread), bits.ReverseBytes64(v.secs), bits.ReverseBytes64(v.nanos), bits.ReverseBytes64(v.val)}
	}
	return v
}

// sensible tells whether all numbers are such as a sample has. None was taken
// at time 0; a file of zeros is what some file systems leave after a crash.
func (v rawRecord) sensible() bool {
	return v.secs|v.nanos != 0 && v.thread < maxThreads && v.secs < 1<<40 && v.nanos < 1e9 && v.val < 1<<50
}

// rawOrder tells the byte order in which all records of head make sense.
func rawOrder(head []byte) (swapped, ok bool) {
	for _, swapped := range []bool{false, true} {
		good := len(head) >= rawSize
		for r := head; good && len(r) >= rawSize; r = r[rawSize:] {
			good = rawOf(r, swapped).sensible()
		}
		if good {
			return swapped, true
		}
	}
	return false, false
}

func sniffRaw(head []byte) bool {
	for _, b := range head[:min(len(head), rawSize)] {
		if b == 0 {
			_, ok := rawOrder(head)
			return ok
		}
	}
	return false
}

func readRaw(s *source) ([]*recording.Recording, error) {
	head, _ := s.in.Peek(peekSize)
	swapped, ok := rawOrder(head)
	if !ok {
		return nil, fmt.Errorf("read %s: no records of samples.raw: cut off or another format", s.path)
	}
	unit := uint64(s.unitOr(1000))
	if size, large := s.large(); large && size%rawSize == 0 {
		of := map[int]*analysis.Distribution{}
		var mu sync.Mutex
		ok := pieces(size, rawPiece, func(offsets iter.Seq[int64]) bool {
			r := newRawReader(unit, swapped)
			for at := range offsets {
				if !r.piece(s.file, at) {
					return false
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for thread, d := range r.of {
				distributionOf(of, thread).Merge(d)
			}
			return true
		})
		if ok {
			return s.sampled("jitterdebugger", of)
		}
	}
	r := newRawReader(unit, swapped)
	for n := 0; ; {
		k, err := io.ReadFull(s.in, r.buf)
		taken, good := r.parse(r.buf[:k])
		n += taken
		switch {
		case !good:
			return nil, fmt.Errorf("read %s: record %d is no sample", s.path, n+1)
		case (err == io.EOF || err == io.ErrUnexpectedEOF) && k%rawSize != 0:
			return nil, fmt.Errorf("read %s: cut off: %d bytes after record %d", s.path, k%rawSize, n)
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return s.sampled("jitterdebugger", r.of)
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", s.path, reason(err))
		}
	}
}

// A rawReader counts the values of records by their thread.
type rawReader struct {
	of      map[int]*analysis.Distribution
	buf     []byte
	unit    uint64 // ns
	limit   uint64 // of a value
	swapped bool
}

func newRawReader(unit uint64, swapped bool) *rawReader {
	return &rawReader{map[int]*analysis.Distribution{}, make([]byte, rawPiece), unit, math.MaxInt64 / unit, swapped}
}

// piece counts the records in the piece of f at at.
func (p *rawReader) piece(f *os.File, at int64) bool {
	n, err := f.ReadAt(p.buf, at)
	if err != nil && err != io.EOF || n%rawSize != 0 {
		return false
	}
	_, good := p.parse(p.buf[:n])
	return good
}

// parse counts the whole records of b, up to one that is no sample.
func (p *rawReader) parse(b []byte) (taken int, good bool) {
	var d *analysis.Distribution
	thread := uint32(math.MaxUint32)
	for ; len(b) >= rawSize; b = b[rawSize:] {
		v := rawOf(b, p.swapped)
		if !v.sensible() || v.val > p.limit {
			return taken, false
		}
		if v.thread != thread {
			thread = v.thread
			d = distributionOf(p.of, int(thread))
		}
		d.Record(int64(v.val * p.unit))
		taken++
	}
	return taken, true
}
