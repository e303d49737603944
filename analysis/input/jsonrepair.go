// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// rt-tests prints JSON with printf: a mean may read nan, and quotes within
// the command line are not escaped. repair makes JSON of it without moving a
// line.

var (
	stringLine = regexp.MustCompile(`^(\s*"[a-z_]+:?":\s*")(.*)("\s*,?\s*)$`)
	notFinite  = regexp.MustCompile(`:(\s*)[-+]?(nan|inf(inity)?)\b`)
)

func repair(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		if m := stringLine.FindSubmatch(line); m != nil {
			if !json.Valid(append(append([]byte{'"'}, m[2]...), '"')) {
				q, _ := json.Marshal(string(m[2])) // a string always marshals
				lines[i] = bytes.Join([][]byte{m[1][:len(m[1])-1], q, m[3][1:]}, nil)
			}
			continue
		}
		lines[i] = notFinite.ReplaceAll(line, []byte(":${1}null"))
	}
	return bytes.Join(lines, []byte("\n"))
}

// maxJSON bounds a JSON file; a million classes of four threads fit.
const maxJSON = 128 << 20

// decode reads the whole file into v. Errors name file and line.
func (s *source) decode(v any) error {
	text, err := io.ReadAll(io.LimitReader(s.in, maxJSON+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", s.path, reason(err))
	}
	if len(text) > maxJSON {
		return fmt.Errorf("read %s: more than %d bytes of JSON", s.path, maxJSON)
	}
	text = repair(text)
	s.text, s.line = text, 1+bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n"))
	err = json.Unmarshal(text, v)
	if err == nil {
		return nil
	}
	offset := int64(len(text))
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &wrong):
		offset = wrong.Offset
	}
	return s.errorf(lineAt(text, offset), "%w", err)
}

// lineAt is the number of the line of a byte.
func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n"))
}

// jsonLine is the number of the line on which the value of the last key
// starts, below those of the others; an array's keys are its indices.
func (s *source) jsonLine(keys ...string) int {
	d := json.NewDecoder(bytes.NewReader(s.text))
	for _, key := range keys {
		start, err := d.Token()
		var skipped json.RawMessage
		for i := 0; err == nil && d.More(); i++ {
			var name any = strconv.Itoa(i)
			if start == json.Delim('{') {
				name, err = d.Token()
			}
			if name == key || err != nil {
				break
			}
			err = d.Decode(&skipped)
		}
	}
	return lineAt(s.text, d.InputOffset())
}
