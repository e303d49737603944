// SPDX-License-Identifier: GPL-2.0-only

// Package plan reads plans of experiments: text files with one run a line.
//
//	# comment
//	@kernel 6.12-rt
//	@load --cpu 0 stress-ng --cpu 1
//	name: flags of sigwait, quoted as in a shell where they hold blanks
//
// Directives are for all runs below them. A load runs beside each run, begins
// a moment before it and ends with it; @load alone: none any more.
package plan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"siglat/cmd/siglab/internal/kernel"
	"siglat/cmd/siglab/internal/load"
)

// A Run is one experiment.
type Run struct {
	Name   string     // also the name of its result folder
	Kernel string     // a name of [kernel.All]
	Load   *load.Load // nil: none
	Args   []string   // flags of sigwait
	Line   int        // in the plan, from 1
}

var (
	validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	reserved  = regexp.MustCompile(`^(--name|--out|-o)(=.*)?$|^-q*o.*$`)
)

// Parse reads a plan. Errors begin with "file:line: ".
func Parse(file string, r io.Reader) ([]Run, error) {
	var runs []Run
	lines := map[string]int{}
	current := Run{Kernel: kernel.Default}
	scanner := bufio.NewScanner(r)
	n := 0
	for scanner.Scan() {
		n++
		text := strings.TrimSpace(scanner.Text())
		var run Run
		var err error
		switch {
		case text == "" || text[0] == '#':
			continue
		case text[0] == '@':
			err = current.directive(text)
		default:
			run, err = parseRun(text)
			if first := lines[run.Name]; err == nil && first > 0 {
				err = fmt.Errorf("name %q is taken by line %d", run.Name, first)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if run.Name != "" {
			lines[run.Name] = n
			run.Kernel, run.Load, run.Line = current.Kernel, current.Load, n
			runs = append(runs, run)
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: longer than %d bytes: not a plan", file, n+1, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s: no run in this plan (want lines like \"name: --cpu 1\")", file)
	}
	return runs, nil
}

// directive changes what all runs below have.
func (r *Run) directive(text string) error {
	words, err := split(text)
	if err != nil {
		return err
	}
	switch {
	case words[0] == "@load" && len(words) == 1:
		r.Load = nil
	case words[0] == "@load":
		r.Load, err = load.Parse(words[1:])
	case words[0] != "@kernel":
		err = fmt.Errorf("unknown directive %.40q (known: @kernel, @load)", words[0])
	case len(words) != 2:
		err = errors.New("want @kernel and one name")
	default:
		var k kernel.Kernel
		k, err = kernel.Lookup(words[1])
		r.Kernel = k.Name
	}
	return err
}

func parseRun(text string) (Run, error) {
	name, rest, ok := strings.Cut(text, ":")
	if !ok {
		return Run{}, errors.New("want \"name: flags\"")
	}
	if !validName.MatchString(name) {
		return Run{}, fmt.Errorf("name %.40q: want letters, digits, dots, dashes and underscores", name)
	}
	args, err := split(rest)
	if err != nil {
		return Run{}, err
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return Run{}, fmt.Errorf("%.40q is no flag (after the name come flags of sigwait)", args[0])
	}
	for _, a := range args {
		if reserved.MatchString(a) {
			return Run{}, fmt.Errorf("flag %s is set by siglab", a)
		}
	}
	return Run{Name: name, Args: args}, nil
}

// split cuts a line into words at blanks outside of '...' and "..."; a # that
// begins a word begins a comment.
func split(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	var quote rune
	for _, c := range s {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case c == '#' && !inWord:
			return words, nil
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("quote %c without an end", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
