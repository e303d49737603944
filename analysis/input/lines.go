// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// maxText bounds a file of classes; a million rows of 64 threads fit.
const maxText = 1 << 30

// maxLineText bounds a line: a row of some thousand threads, or a list of the
// cycles at which values overflowed.
const maxLineText = 1 << 20

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// eachLine calls do for each line of a text without its end and without
// sequences that move a cursor; whole is false for a last line without end.
// Errors name file and line.
func (s *source) eachLine(do func(line string, whole bool) error) error {
	size := 0
	var long []byte
	for n := 1; ; n++ {
		s.line = n
		part, err := s.in.ReadSlice('\n')
		for long = long[:0]; err != nil && err != io.EOF && len(long) < maxLineText && len(part) > 0; part, err = s.in.ReadSlice('\n') {
			long = append(long, part...)
		}
		if len(long) > 0 {
			long = append(long, part...)
			part = long
		}
		if len(part) >= maxLineText {
			return s.errorf(n, "a line of more than %d bytes", maxLineText)
		}
		if err != nil && err != io.EOF {
			return s.errorf(n, "%w", reason(err))
		}
		if size += len(part); size > maxText {
			return s.errorf(n, "more than %d bytes", maxText)
		}
		if len(part) > 0 {
			text := strings.TrimRight(string(part), "\r\n")
			if bytes.IndexByte(part, 0x1b) >= 0 {
				text = ansi.ReplaceAllString(text, "")
			}
			if bad := do(text, part[len(part)-1] == '\n'); bad != nil {
				return s.errorf(n, "%w", bad)
			}
		}
		if err == io.EOF {
			if s.line = n; len(part) == 0 && n > 1 {
				s.line--
			}
			return nil
		}
	}
}

// errorf is an error about a line; in a file that lacks something it is the
// last.
func (s *source) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("read %s:%d: "+format, append([]any{s.path, line}, args...)...)
}

// here returns the number of the present line, for later.
func (s *source) here() func() int {
	line := s.line
	return func() int { return line }
}

// unitOr returns the unit that the user gave, else the usual one, in ns.
func (s *source) unitOr(usual int64) int64 {
	if s.unit > 0 {
		return s.unit
	}
	return usual
}

// firstLine returns the first line of head that is not empty.
func firstLine(head []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	return strings.TrimRight(string(line), "\r")
}

func quoted(s string) string {
	if len(s) > 40 {
		return fmt.Sprintf("%q...", s[:40])
	}
	return fmt.Sprintf("%q", s)
}
