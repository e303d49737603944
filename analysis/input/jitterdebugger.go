// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// jitterdebugger's samples.raw: records of 28 bytes in the byte order of the
// recording machine: u32 thread, i64 s, i64 ns, u64 value. Its CSV: thread;
// s.ns;value. Values are in µs.

const rawSize = 28

// maxThreads bounds the number of a thread, so that a wrong file is noticed.
const maxThreads = 1 << 16

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

// sensible tells whether all numbers are such as a sample has.
func (v rawRecord) sensible() bool {
	return v.thread < maxThreads && v.secs < 1<<40 && v.nanos < 1e9 && v.val < 1<<50
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
	of := map[int]*samples{}
	unit := uint64(s.unitOr(1000))
	limit := math.MaxInt64 / unit
	buf := make([]byte, rawSize*9000)
	var last *analysis.Distribution
	lastThread := uint32(math.MaxUint32)
	for n := 0; ; {
		k, err := io.ReadFull(s.in, buf)
		for r := buf[:k]; len(r) >= rawSize; r = r[rawSize:] {
			n++
			v := rawOf(r, swapped)
			if !v.sensible() || v.val > limit {
				return nil, fmt.Errorf("read %s: record %d is no sample", s.path, n)
			}
			if v.thread != lastThread {
				s.addThread(of, int(v.thread))
				last, lastThread = of[int(v.thread)].d, v.thread
			}
			last.Record(int64(v.val * unit))
		}
		switch {
		case (err == io.EOF || err == io.ErrUnexpectedEOF) && k%rawSize != 0:
			return nil, fmt.Errorf("read %s: cut off: %d bytes after record %d", s.path, k%rawSize, n)
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return s.sampled("jitterdebugger", of)
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", s.path, reason(err))
		}
	}
}

var rawCSV = regexp.MustCompile(`^(\d+);(\d+)\.(\d{9});(\d+)$`)

func sniffRawCSV(head []byte) bool { return rawCSV.MatchString(firstLine(head)) }

func readRawCSV(s *source) ([]*recording.Recording, error) {
	of := map[int]*samples{}
	unit := s.unitOr(1000)
	err := s.eachLine(func(line string, whole bool) error {
		line = strings.TrimSpace(line)
		m := rawCSV.FindStringSubmatch(line)
		if m == nil || !whole {
			return fmt.Errorf("%s is no whole line of thread;time;value", quoted(line))
		}
		thread, err := strconv.Atoi(m[1])
		if err != nil || thread >= maxThreads {
			return fmt.Errorf("thread %.40s is out of range", m[1])
		}
		v, err := scaled(m[4], unit)
		if err != nil {
			return err
		}
		s.addSample(of, thread, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.sampled("jitterdebugger", of)
}
