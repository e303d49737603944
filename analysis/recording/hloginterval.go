// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"siglat/analysis"
)

// eachInterval calls do for each interval in the order of the file. Logs of
// other tools, without the exact figures, work as well; an interval without
// a tag is taken for the latency. Cut is the number of a last line that is not
// whole, 0 where it is.
func eachInterval(name string, in io.Reader, do func(interval) error) (cut int, err error) {
	var p intervalParser
	cut, err = eachLine(name, in, false, func(n int, line []byte) error {
		done, ok, err := p.line(n, string(line))
		if err != nil || !ok {
			return err
		}
		if err := do(done); err != nil {
			return &lineError{done.line, err}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	last, ok := p.flush()
	if !ok {
		return cut, nil
	}
	if err := do(last); err != nil {
		// The last interval, when its exact figures are there and its
		// histograms do not fit them, was being written at the end.
		if last.moments != nil {
			return last.line, nil
		}
		return 0, fmt.Errorf("read %s:%d: %w", name, last.line, err)
	}
	return cut, nil
}

// intervalParser joins the lines that belong to one interval of a segment.
type intervalParser struct {
	next    interval
	pending bool
}

// line takes a line; ok tells that done is complete with the line before it.
func (p *intervalParser) line(n int, s string) (done interval, ok bool, err error) {
	if text, is := comment([]byte(s), exactPrefix); is {
		done, ok = p.flush()
		name, rest, _ := strings.Cut(text, ",")
		m, err := analysis.ParseMoments(rest)
		if err != nil {
			return done, false, err
		}
		p.next, p.pending = interval{line: n, segment: name, moments: &m}, true
		return done, ok, nil
	}
	if s == "" || s[0] == '#' || s[0] == '"' {
		return done, false, nil
	}
	i, negative, err := parseInterval(s)
	if err != nil {
		return done, false, err
	}
	if p.pending && p.next.takes(i, negative) {
		p.next.start, p.next.end = i.start, i.end
		if negative {
			p.next.negatives = i.negatives
		} else {
			p.next.values = i.values
		}
		return done, false, nil
	}
	done, ok = p.flush()
	i.line = n
	p.next, p.pending = i, true
	return done, ok, nil
}

// takes tells whether i is a histogram that belongs to the exact figures of
// the interval in progress.
func (next *interval) takes(i interval, negative bool) bool {
	if next.moments == nil || next.segment != i.segment {
		return false
	}
	if negative {
		return next.negatives == nil
	}
	return next.values == nil
}

func (p *intervalParser) flush() (interval, bool) {
	i, ok := p.next, p.pending
	p.next, p.pending = interval{}, false
	return i, ok
}

// parseInterval reads [Tag=NAME,]start,length,max,histogram.
func parseInterval(s string) (i interval, negative bool, err error) {
	i.segment = SegmentLatency
	if tagged, ok := strings.CutPrefix(s, "Tag="); ok {
		i.segment, s, _ = strings.Cut(tagged, ",")
		i.segment, negative = strings.CutSuffix(i.segment, negativeSuffix)
	}
	parts := strings.Split(s, ",")
	if len(parts) != 4 {
		return i, false, fmt.Errorf("%d fields, not start, length, maximum and histogram", len(parts))
	}
	start, err1 := strconv.ParseFloat(parts[0], 64)
	length, err2 := strconv.ParseFloat(parts[1], 64)
	if errors.Join(err1, err2) != nil || !(start >= 0 && length >= 0 && start+length < 1e9*9) {
		return i, false, fmt.Errorf("start %.20q and length %.20q are no times in seconds", parts[0], parts[1])
	}
	i.start = time.Duration(start * 1e9)
	i.end = i.start + time.Duration(length*1e9)
	if text := []byte(parts[3]); negative {
		i.negatives = text
	} else {
		i.values = text
	}
	return i, negative, nil
}
