// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// Plain text holds one integer per line, in ns: digits, with a sign before
// and blanks around them where there are any. Lines may end with CR LF, the
// last one without an end; empty lines are skipped. Nothing else is accepted.

// sniffPlain accepts a file that starts like a number; what follows is the
// parser's to judge.
func sniffPlain(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) > 1 && (head[0] == '-' || head[0] == '+') {
		head = head[1:]
	}
	return len(head) == 0 || digit(head[0])
}

func digit(b byte) bool { return b-'0' <= 9 }

const (
	chunkSize = 256 << 10
	batchSize = 4096
)

func readPlain(s *source) ([]*recording.Recording, error) {
	if recs, ok, err := s.parallel(); ok || err != nil {
		return recs, err
	}
	p := &plainReader{unit: s.unitOr(1), d: analysis.NewDistribution(), sink: s.sink, batch: make([]int64, 0, batchSize)}
	var t *tally // once the input is known to be long
	buf := make([]byte, 0, chunkSize)
	line := 1
	for taken := 0; ; {
		n, err := s.in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read %s: %w", s.path, reason(err))
		}
		whole := buf[:bytes.LastIndexByte(buf, '\n')+1]
		if err == io.EOF {
			whole = buf
		} else if len(whole) == 0 && len(buf) == cap(buf) {
			return nil, fmt.Errorf("read %s:%d: %s", s.path, line, notInteger(buf))
		}
		if taken += len(whole); t == nil && p.sink == nil && taken > parallelMin {
			t = newTally(p.unit)
			t.rest.d, p = p.d, &t.rest
		}
		lines := 0
		var bad error
		if t != nil && t.parse(whole) {
			lines = bytes.Count(whole, []byte("\n"))
		} else {
			lines, bad = p.parse(whole)
		}
		if bad != nil {
			return nil, fmt.Errorf("read %s:%d: %w", s.path, line+lines, bad)
		}
		if p.wide {
			return nil, fmt.Errorf("read %s:%d: a value from here on is out of range in ns", s.path, line)
		}
		if err == io.EOF {
			break
		}
		line += lines
		buf = buf[:copy(buf, buf[len(whole):])]
	}
	if t != nil {
		t.fold()
	}
	p.flush()
	if p.d.Count() == 0 {
		return nil, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	return []*recording.Recording{s.recordingOf(p.d)}, nil
}

// plainReader turns whole lines into values.
type plainReader struct {
	d     *analysis.Distribution
	sink  Sink
	batch []int64
	unit  int64 // ns
	wide  bool  // a value left the range when it became ns
}

func (p *plainReader) add(v int64) {
	if p.unit > 1 {
		ns := v * p.unit
		p.wide = p.wide || ns/p.unit != v
		v = ns
	}
	p.d.Record(v)
	if p.sink == nil {
		return
	}
	if p.batch = append(p.batch, v); len(p.batch) == batchSize {
		p.flush()
	}
}

func (p *plainReader) flush() {
	if p.sink != nil && len(p.batch) > 0 {
		p.sink.Values(p.batch)
		p.batch = p.batch[:0]
	}
}

// parse takes whole lines; the last may lack its end. It returns how many
// lines ended, up to the one at fault.
func (p *plainReader) parse(b []byte) (lines int, err error) {
	for i := 0; i < len(b); {
		start := i
		var v uint64
		for i < len(b) && digit(b[i]) && i-start < 18 {
			v = v*10 + uint64(b[i]-'0')
			i++
		}
		if i > start && i < len(b) && b[i] == '\n' {
			p.add(int64(v))
			lines++
			i++
			continue
		}
		end := bytes.IndexByte(b[start:], '\n')
		if end < 0 {
			end = len(b)
		} else {
			end += start
		}
		if err := p.line(b[start:end]); err != nil {
			return lines, err
		}
		if end < len(b) {
			lines++
			end++
		}
		i = end
	}
	return lines, nil
}

var errRange = errors.New("is out of range: more than 64 bits")

// line takes a line that is not just a few digits.
func (p *plainReader) line(full []byte) error {
	b := bytes.Trim(full, " \t\r")
	if len(b) == 0 {
		return nil
	}
	negative := b[0] == '-'
	if negative || b[0] == '+' {
		b = b[1:]
	}
	if len(b) == 0 {
		return errors.New(notInteger(full))
	}
	var v uint64
	tooLarge := false
	for _, c := range b {
		if !digit(c) {
			return errors.New(notInteger(full))
		}
		if v > (math.MaxUint64-9)/10 {
			tooLarge = true
			continue
		}
		v = v*10 + uint64(c-'0')
	}
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	if tooLarge || v > limit {
		return fmt.Errorf("%.40s %w", bytes.TrimSpace(full), errRange)
	}
	if negative {
		v = -v
	}
	p.add(int64(v))
	return nil
}
