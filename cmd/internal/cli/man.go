// SPDX-License-Identifier: GPL-2.0-only

package cli

import (
	"fmt"
	"strings"
)

// manual returns a page in the macros of man(7).
func manual(p page) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" siglat siglat\n.SH NAME\n%s \\- %s\n", strings.ToUpper(p.Name), roff(p.Name), roff(inShort(p.About)))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n%s\n", roff(p.Name), roff(p.Synopsis))
	for _, s := range p.Sub {
		fmt.Fprintf(&b, ".br\n.B %s\n%s\n", roff(s.Name), roff(s.Synopsis))
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(p.About))
	b.WriteString(".SH OPTIONS\n")
	for _, g := range p.Groups {
		manualFlags(&b, g)
	}
	for _, s := range p.Sub {
		fmt.Fprintf(&b, ".SH \"%s\"\n%s\n", strings.ToUpper(s.Name), roff(s.About))
		for _, g := range s.Groups {
			manualFlags(&b, g)
		}
		manualExamples(&b, ".SS Examples", s.Examples)
		fmt.Fprintf(&b, ".PP\n%s\n", roff(s.Exit))
	}
	manualExamples(&b, ".SH EXAMPLES", p.Examples)
	if p.Exit != "" {
		fmt.Fprintf(&b, ".SH \"EXIT STATUS\"\n%s\n", roff(strings.TrimPrefix(p.Exit, "Exit status: ")))
	}
	var others []string
	for _, name := range []string{"siglab", "sigreport", "sigwait"} {
		if name != p.Name {
			others = append(others, ".BR "+name+" (1)")
		}
	}
	fmt.Fprintf(&b, ".SH \"SEE ALSO\"\n%s ,\n%s ,\n.BR cyclictest (8),\n.BR signal (7),\n.BR sched (7)\n", others[0], others[1])
	return b.String()
}

func manualFlags(b *strings.Builder, g pageGroup) {
	fmt.Fprintf(b, ".SS \"%s\"\n", roff(g.Title))
	for _, f := range g.Flags {
		b.WriteString(".TP\n")
		if f.Short != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fR, ", f.Short)
		}
		fmt.Fprintf(b, "\\fB%s\\fR", roff("--"+f.Name))
		if f.Arg != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(f.Arg))
		}
		fmt.Fprintf(b, "\n%s\n", roff(f.Usage))
		if f.Default != "" {
			fmt.Fprintf(b, "(default %s)\n", roff(f.Default))
		}
	}
}

func manualExamples(b *strings.Builder, title string, examples []string) {
	if len(examples) == 0 {
		return
	}
	fmt.Fprintf(b, "%s\n.nf\n", title)
	for _, e := range examples {
		fmt.Fprintln(b, roff(e))
	}
	b.WriteString(".fi\n")
}

// inShort returns the first sentence of a description as a phrase.
func inShort(about string) string {
	s, _, _ := strings.Cut(strings.ReplaceAll(about, "\n", " "), ". ")
	s, _, _ = strings.Cut(s, ": ")
	s = strings.TrimSuffix(s, ".")
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// roff escapes what would be a request or another character, line by line.
func roff(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		l = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(l)
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			l = `\&` + l
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}
