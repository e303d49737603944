// SPDX-License-Identifier: GPL-2.0-only

// Package input opens what holds latencies: run directories, and files of
// this and other tools. A file's format is recognised from its content.
package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// A Sink takes the single values of an input, in ns. Values may come in any
// order.
type Sink interface{ Values(ns []int64) }

// A Reader opens inputs. The zero value reads no standard input.
type Reader struct {
	Stdin io.Reader
	// Sink, where set, is asked for each input that holds single values and
	// gets them all, besides the recording's own distribution.
	Sink func(path string) Sink
	// Format, where set, is taken for that of all files, whatever they look
	// like; see [Formats].
	Format string
	// UnitNS, where set, is the unit in ns of numbers whose file does not
	// tell it, or tells another.
	UnitNS int64
}

// Open reads all paths with a zero Reader and stdin. One path may hold
// several recordings, such as one for each thread. Errors name the file, and
// the line where one is at fault.
func Open(paths []string, stdin io.Reader) ([]*recording.Recording, error) {
	return (&Reader{Stdin: stdin}).Open(paths)
}

// Open reads all paths, in their order.
func (r *Reader) Open(paths []string) ([]*recording.Recording, error) {
	if r.Format != "" && formatNamed(r.Format) == nil {
		names, _ := Formats()
		return nil, fmt.Errorf("format %.40q is not known: one of %s", r.Format, strings.Join(names, ", "))
	}
	var all []*recording.Recording
	used := false
	for _, path := range paths {
		if path == Stdin {
			if used {
				return nil, errors.New("read stdin: given twice")
			}
			used = true
		}
		recs, err := r.OpenOne(path)
		if err != nil {
			return nil, err
		}
		all = append(all, recs...)
	}
	distinguish(all)
	for _, rec := range all {
		if n := rec.Latency.Count; n > 0 && n < fewValues && rec.Latencies() != nil {
			few := fmt.Sprintf("only %d values: p99.9 is no more than their maximum", n)
			if n == 1 {
				few = "only 1 value"
			}
			if !slices.Contains(rec.Warnings, few) { // an imported run has it already
				rec.Warnings = append(rec.Warnings, few)
			}
		}
	}
	return all, nil
}

// fewValues is the number of values below which less than one lies above
// p99.9.
const fewValues = 1000

// distinguish replaces names that occur twice by paths.
func distinguish(recs []*recording.Recording) {
	seen := map[string]int{}
	for _, r := range recs {
		seen[r.Name]++
	}
	for _, r := range recs {
		if (seen[r.Name] > 1 || r.Name == "") && r.Path != Stdin {
			_, part, _ := strings.Cut(r.Name, filepath.Base(r.Path)+":")
			r.Name = filepath.ToSlash(r.Path)
			if part != "" {
				r.Name += ":" + part
			}
		}
	}
}

// OpenOne reads one path. Its recordings have the names that they have on
// their own, and no warning that their values are few.
func (r *Reader) OpenOne(path string) ([]*recording.Recording, error) {
	if path == Stdin {
		if r.Stdin == nil {
			return nil, errors.New("read stdin: there is none")
		}
		end := &lastByte{in: r.Stdin}
		s := &source{arg: path, path: "stdin", name: "stdin", file: redirected(r.Stdin), in: bufio.NewReaderSize(end, peekSize), sink: r.sink(path), unit: r.UnitNS, forced: r.Format != ""}
		recs, err := r.read(s)
		end.see(s.file)
		return s.noted(recs, end.last), err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	if fi.IsDir() {
		return r.openRun(path)
	}
	if filepath.Base(path) == recording.RunFile && r.Format == "" {
		return r.openRun(filepath.Dir(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	defer f.Close()
	end := &lastByte{in: f}
	s := &source{arg: path, path: path, name: filepath.Base(path), file: f, in: bufio.NewReaderSize(end, peekSize), sink: r.sink(path), unit: r.UnitNS, forced: r.Format != ""}
	recs, err := r.read(s)
	end.see(f)
	return s.noted(recs, end.last), err
}

func (r *Reader) sink(path string) Sink {
	if r.Sink == nil {
		return nil
	}
	return r.Sink(path)
}

// openRun opens a run directory, and says where runs are when it is only the
// directory above them. The single values of samples.txt go to the sink of dir.
func (r *Reader) openRun(dir string) ([]*recording.Recording, error) {
	rec, err := recording.Open(dir)
	if errors.Is(err, recording.ErrNoRun) {
		below, _ := filepath.Glob(filepath.Join(dir, "*", recording.RunFile))
		if len(below) > 0 {
			return nil, fmt.Errorf("%w; there are %d runs below it: give %s", err, len(below), filepath.Join(dir, "*"))
		}
	}
	if err != nil {
		return nil, err
	}
	if r.Sink != nil && rec.Latency.Count > 0 {
		err = r.samples(dir)
	}
	return []*recording.Recording{rec}, err
}

// samples reads the samples of a run, where it has them, for the sink alone.
func (r *Reader) samples(dir string) error {
	file := filepath.Join(dir, recording.SamplesFile)
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open input: %w", err)
	}
	defer f.Close()
	_, err = readPlain(&source{arg: dir, path: file, name: dir, file: f, in: bufio.NewReaderSize(f, peekSize), sink: r.sink(dir)})
	return err
}

// A source is an open file and what is known of it.
type source struct {
	arg, path, name string // as given, for messages, for tables
	in              *bufio.Reader
	sink            Sink
	file            *os.File // nil for a stream
	unit            int64    // ns, 0 for the format's own
	forced          bool     // the user named the format
	lines           bool     // see format
	line            int      // the number of the last line read; see eachLine
	text            []byte   // the whole of a JSON file; see decode
}

// peekSize is how much of a file the formats may look at.
const peekSize = 64 << 10

func (r *Reader) read(s *source) ([]*recording.Recording, error) {
	head, err := s.in.Peek(peekSize)
	if mark := "\ufeff"; bytes.HasPrefix(head, []byte(mark)) {
		_, _ = s.in.Discard(len(mark)) // they are buffered
		head, err = s.in.Peek(peekSize)
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", s.path, reason(err))
	}
	if len(bytes.TrimSpace(head)) == 0 && err == io.EOF {
		return nil, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	f := formatNamed(r.Format)
	for i := range formats {
		if f == nil && formats[i].sniff(head) {
			f = &formats[i]
		}
	}
	if f == nil {
		return nil, unknown(s, head)
	}
	s.lines = f.lines
	return f.read(s)
}

// reason strips operation and path, which the caller adds.
func reason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// recordingOf returns a recording of nothing but a distribution.
func (s *source) recordingOf(d *analysis.Distribution) *recording.Recording {
	rec := &recording.Recording{
		Path: s.arg,
		Dist: map[string]*analysis.Distribution{recording.SegmentLatency: d},
	}
	rec.Name = s.name
	rec.Latency = d.Summary()
	rec.Counts.Received = d.Count()
	return rec
}
