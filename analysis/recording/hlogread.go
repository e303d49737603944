// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"siglat/analysis"
)

// An interval is one interval histogram of a segment.
type interval struct {
	line       int // where it starts
	segment    string
	start, end time.Duration
	values     []byte
	negatives  []byte
	moments    *analysis.Moments
}

// readTotals reads the distributions of the whole run: from the foot of the
// file where there is one, with its text, else by adding up the intervals.
func readTotals(f *os.File) (map[string]*analysis.Distribution, map[string]source, error) {
	at, ok, err := footOffset(f)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	if !ok {
		dists, cut, err := readIntervals(f)
		if err == nil && cut > 0 {
			err = fmt.Errorf("read %s:%d: cut off: the file ends within this line", f.Name(), cut)
		}
		return dists, nil, err
	}
	dists, sources := map[string]*analysis.Distribution{}, map[string]source{}
	_, err = eachLine(f.Name(), io.NewSectionReader(f, at, 1<<62), at > 0, func(_ int, line []byte) error {
		text, ok := comment(line, totalPrefix)
		if !ok {
			return nil
		}
		name, rest, _ := strings.Cut(text, ",")
		parts := strings.Split(rest, ",")
		if len(parts) < 3 {
			return errors.New("total without histogram")
		}
		last := len(parts) - 2
		m, err := analysis.ParseMoments(strings.Join(parts[:last], ","))
		if err != nil {
			return err
		}
		if dists[name] != nil {
			return fmt.Errorf("a second total of %.40q", name)
		}
		l := logged{name, m, []byte(parts[last]), []byte(parts[last+1])}
		err = add(dists, interval{segment: name, values: l.values, negatives: l.negatives, moments: &m})
		sources[name] = source{dists[name], l}
		return err
	})
	return dists, sources, err
}

// footOffset finds where the totals start.
func footOffset(f *os.File) (at int64, ok bool, err error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	tail := make([]byte, min(fi.Size(), 64))
	if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil {
		return 0, false, err
	}
	tail, whole := bytes.CutSuffix(tail, []byte("\n"))
	text, ok := comment(tail[bytes.LastIndexByte(tail, '\n')+1:], totalsPrefix)
	if !whole || !ok {
		return 0, false, nil
	}
	at, err = strconv.ParseInt(text, 10, 64)
	if err != nil || at < 0 || at > fi.Size() {
		return 0, false, fmt.Errorf("totals at byte %s of %d", text, fi.Size())
	}
	return at, true, nil
}

func comment(line []byte, prefix string) (text string, ok bool) {
	text, ok = strings.CutPrefix(string(line), prefix)
	if ok {
		text, ok = strings.CutSuffix(text, lineEnd)
	}
	return text, ok
}

// readIntervals adds up all intervals; cut is the number of a last line that
// is not whole, 0 where it is.
func readIntervals(f *os.File) (dists map[string]*analysis.Distribution, cut int, err error) {
	dists = map[string]*analysis.Distribution{}
	cut, err = eachInterval(f.Name(), io.NewSectionReader(f, 0, 1<<62), func(i interval) error { return add(dists, i) })
	return dists, cut, err
}

// ReadLog adds up the intervals of an HdrHistogram log, of this or another
// tool, for each tag; those without a tag stand under [SegmentLatency]. Errors
// name the file as name, and the line.
func ReadLog(name string, r io.Reader) (map[string]*analysis.Distribution, error) {
	dists := map[string]*analysis.Distribution{}
	cut, err := eachInterval(name, r, func(i interval) error { return add(dists, i) })
	if err == nil && cut > 0 {
		err = fmt.Errorf("read %s:%d: cut off: the file ends within this line", name, cut)
	}
	return dists, err
}

func add(dists map[string]*analysis.Distribution, i interval) error {
	d := dists[i.segment]
	if d == nil {
		d = analysis.NewDistribution()
	}
	if err := d.AddHDR(i.values, i.negatives, i.moments); err != nil {
		return err
	}
	dists[i.segment] = d
	return nil
}

// maxLine bounds a line; the longest histogram has some 10 MB.
const maxLine = 32 << 20

// eachLine calls do for each whole line, and names file and line in its
// errors; cut is the number of the line that the file ends within, 0 where it
// ends with a line. With foot the lines are
// those of the totals.
func eachLine(name string, in io.Reader, foot bool, do func(n int, line []byte) error) (cut int, err error) {
	r := bufio.NewReaderSize(in, 64<<10)
	var long []byte
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); line, err = r.ReadSlice('\n') {
			if long = append(long, line...); len(long) > maxLine {
				return 0, fmt.Errorf("read %s:%d: a line of more than %d bytes", name, n, maxLine)
			}
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		switch {
		case err == io.EOF:
			if len(line) > 0 {
				cut = n
			}
			return cut, nil
		case err != nil:
			return 0, fmt.Errorf("read %s: %w", name, err)
		}
		if err := do(n, bytes.TrimRight(line, "\r\n")); err != nil {
			var le *lineError
			if errors.As(err, &le) {
				n, err = le.line, le.err
			}
			if foot {
				return 0, fmt.Errorf("read %s, totals line %d: %w", name, n, err)
			}
			return 0, fmt.Errorf("read %s:%d: %w", name, n, err)
		}
	}
}

// A lineError is an error about a line before the one that showed it.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }
