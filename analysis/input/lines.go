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
		part, err := s.in.ReadSlice('\n')
		for long = long[:0]; err != nil && err != io.EOF && len(long) < maxLineText && len(part) > 0; part, err = s.in.ReadSlice('\n') {
			long = append(long, part...)
		}
		if len(long) > 0 {
			long = append(long, part...)
			part = long
		}
		if len(part) >= maxLineText {
			return fmt.Errorf("read %s:%d: a line of more than %d bytes", s.path, n, maxLineText)
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("read %s: %w", s.path, reason(err))
		}
		if size += len(part); size > maxText {
			return fmt.Errorf("read %s:%d: more than %d bytes", s.path, n, maxText)
		}
		if len(part) > 0 {
			text := strings.TrimRight(string(part), "\r\n")
			if bytes.IndexByte(part, 0x1b) >= 0 {
				text = ansi.ReplaceAllString(text, "")
			}
			if bad := do(text, part[len(part)-1] == '\n'); bad != nil {
				return fmt.Errorf("read %s:%d: %w", s.path, n, bad)
			}
		}
		if err == io.EOF {
			return nil
		}
	}
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
