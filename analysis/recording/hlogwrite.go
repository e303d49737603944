// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"siglat/analysis"
)

// latency.hlog is an HdrHistogram interval log, format 1.3: lines
// Tag=SEGMENT,start,length,max,histogram with times in seconds from the base
// time, the maximum in ms and values in ns. Negative values stand, as
// magnitudes, under the segment's name and ".negative". Comments, which other
// readers skip, keep what a histogram rounds:
//
//	#[Exact: latency,count=...]            before the histograms of an interval
//	#[Total: latency,count=...,text,text]  at the end, of the whole run
//	#[Totals at byte N]                    the last line
const (
	negativeSuffix = ".negative"
	exactPrefix    = "#[Exact: "
	totalPrefix    = "#[Total: "
	totalsPrefix   = "#[Totals at byte "
	lineEnd        = "]"
)

// hlogWriter formats the lines itself: the writer of hdrhistogram-go cuts
// times to the millisecond and the base time to the second.
type hlogWriter struct {
	out  *bufio.Writer
	size int64
	enc  analysis.HDREncoder
	end  time.Duration // of the last interval
}

func newHlogWriter(f io.Writer) *hlogWriter {
	return &hlogWriter{out: bufio.NewWriterSize(f, 64<<10)}
}

func (h *hlogWriter) printf(format string, args ...any) error {
	n, err := fmt.Fprintf(h.out, format, args...)
	h.size += int64(n)
	return err
}

func (h *hlogWriter) flush() error { return h.out.Flush() }

// head writes the leading comments, the first of which is title.
func (h *hlogWriter) head(start time.Time, title string) error {
	secs := fmt.Sprintf("%d.%03d", start.Unix(), start.Nanosecond()/1e6)
	err := h.printf("#[%s]\n"+
		"#[Histogram log format version 1.3]\n"+
		"#[BaseTime: %s (seconds since epoch)]\n"+
		"#[StartTime: %s (seconds since epoch), %s]\n"+
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		title, secs, secs, start.UTC().Format(time.RFC3339))
	if err != nil {
		return err
	}
	return h.flush()
}

// logged is what the log keeps of a distribution.
type logged struct {
	segment           string
	moments           analysis.Moments
	values, negatives []byte
}

func loggedOf(enc *analysis.HDREncoder, segment string, d *analysis.Distribution) logged {
	values, negatives := enc.Encode(d)
	return logged{segment, d.Moments(), values, negatives}
}

// A source is the text that a distribution was read from.
type source struct {
	of *analysis.Distribution
	logged
}

// is tells whether the text still holds the values of d, to which some may
// have been added since.
func (s *source) is(d *analysis.Distribution) bool {
	return s.of == d && s.moments.Count == d.Count()
}

func (h *hlogWriter) interval(name string, d *analysis.Distribution, start, end time.Duration) error {
	return h.write(loggedOf(&h.enc, name, d), start, end)
}

// write writes an interval of a segment.
func (h *hlogWriter) write(l logged, start, end time.Duration) error {
	h.end = max(h.end, end)
	if err := h.printf("%s%s,%s%s\n", exactPrefix, l.segment, l.moments, lineEnd); err != nil {
		return err
	}
	line := func(tag string, max int64, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		return h.printf("Tag=%s,%.6f,%.6f,%.6f,%s\n", tag, start.Seconds(), (end - start).Seconds(), float64(max)/1e6, text)
	}
	if err := line(l.segment, max(l.moments.Max, 0), l.values); err != nil {
		return err
	}
	return line(l.segment+negativeSuffix, max(-l.moments.Min, 0), l.negatives)
}

// totals writes the foot.
func (h *hlogWriter) totals(segments []*segment) error {
	at := h.size
	for _, s := range segments {
		if s.total.Count() == 0 {
			continue
		}
		l := loggedOf(&h.enc, s.name, s.total)
		text := strings.Join([]string{s.name, l.moments.String(), string(l.values), string(l.negatives)}, ",")
		if err := h.printf("%s%s%s\n", totalPrefix, text, lineEnd); err != nil {
			return err
		}
	}
	if err := h.printf("%s%d%s\n", totalsPrefix, at, lineEnd); err != nil {
		return err
	}
	return h.flush()
}
