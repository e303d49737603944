// SPDX-License-Identifier: GPL-2.0-only

package cli

import (
	"fmt"
	"slices"
	"strings"
)

// completions write the script of a shell.
var completions = map[string]func(page) string{"bash": bash, "zsh": zsh, "fish": fish}

func (p *page) flags() []pageFlag {
	var all []pageFlag
	for _, g := range p.Groups {
		for _, f := range g.Flags {
			if !slices.ContainsFunc(all, func(o pageFlag) bool { return o.Name == f.Name }) {
				all = append(all, f)
			}
		}
	}
	return all
}

// word returns a subcommand's own name.
func (p *page) word() string { return p.Name[strings.LastIndexByte(p.Name, ' ')+1:] }

func (p *page) words() string {
	var w []string
	for _, s := range p.Sub {
		w = append(w, s.word())
	}
	return strings.Join(w, " ")
}

func (p *page) flagWords() string {
	var w []string
	for _, f := range p.flags() {
		w = append(w, "--"+f.Name)
	}
	return strings.Join(w, " ")
}

func bash(p page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# bash completion for %[1]s\n_%[1]s() {\n\tlocal words=%[2]q subcommands=%[3]q\n", p.Name, p.flagWords(), p.words())
	b.WriteString("\tcase ${COMP_WORDS[1]} in\n")
	for _, s := range p.Sub {
		fmt.Fprintf(&b, "\t%s) words=%q subcommands= ;;\n", s.word(), s.flagWords()+" --help")
	}
	fmt.Fprintf(&b, `	esac
	[ "$COMP_CWORD" -eq 1 ] || subcommands=
	case $2 in
	-*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2") ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$subcommands" -- "$2") ;;
	esac
}
complete -o default -F _%[1]s %[1]s
`, p.Name)
	return b.String()
}

// quoted puts text into single quotes of a shell, less what its completion
// takes for its own.
func quoted(text string) string {
	text = strings.Join(strings.Fields(strings.NewReplacer("[", "(", "]", ")", ":", ",", "'", "").Replace(text)), " ")
	return "'" + text + "'"
}

func zsh(p page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\nlocal -a flags\n", p.Name)
	b.WriteString("case ${words[2]} in\n")
	for _, s := range p.Sub {
		fmt.Fprintf(&b, "%s)\n%s\t;;\n", s.word(), zshFlags(s.flags()))
	}
	fmt.Fprintf(&b, "*)\n%s\t;;\nesac\n", zshFlags(p.flags()))
	if len(p.Sub) > 0 {
		b.WriteString("local -a subcommands=(\n")
		for _, s := range p.Sub {
			fmt.Fprintf(&b, "\t%s\n", strings.TrimSuffix(quoted(s.word()), "'")+":"+strings.TrimPrefix(quoted(inShort(s.About)), "'"))
		}
		b.WriteString(")\n(( CURRENT != 2 )) || _describe subcommand subcommands\n")
	}
	b.WriteString("_arguments $flags '*:file:_files'\n")
	return b.String()
}

func zshFlags(flags []pageFlag) string {
	var b strings.Builder
	b.WriteString("\tflags=(\n")
	for _, f := range flags {
		arg := ""
		if f.Arg != "" {
			arg = ":" + f.Arg + ":_files"
		}
		fmt.Fprintf(&b, "\t\t%s\n", strings.TrimSuffix(quoted("--"+f.Name), "'")+"["+strings.Trim(quoted(f.Usage), "'")+"]"+arg+"'")
	}
	b.WriteString("\t)\n")
	return b.String()
}

func fish(p page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for %s\n", p.Name)
	one := func(condition string, flags []pageFlag) {
		for _, f := range flags {
			fmt.Fprintf(&b, "complete -c %s%s -l %s", p.Name, condition, f.Name)
			if f.Short != "" {
				fmt.Fprintf(&b, " -s %s", f.Short)
			}
			if f.Arg != "" {
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d %s\n", quoted(f.Usage))
		}
	}
	if len(p.Sub) == 0 {
		one("", p.flags())
		return b.String()
	}
	one(fmt.Sprintf(" -n 'not __fish_seen_subcommand_from %s'", p.words()), p.flags())
	for _, s := range p.Sub {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", p.Name, s.word(), quoted(inShort(s.About)))
		one(fmt.Sprintf(" -n '__fish_seen_subcommand_from %s'", s.word()), s.flags())
	}
	return b.String()
}
