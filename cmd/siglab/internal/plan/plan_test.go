// SPDX-License-Identifier: GPL-2.0-only

package plan

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"siglat/cmd/siglab/internal/load"
)

func TestParse(t *testing.T) {
	text := `
# a comment
a: --cpu 1 --period 5ms   # and one here
@kernel 6.12-rt
@load --cpu 1 stress-ng --exec "two words" # and one here
b.2:--fifo 40
@load
	c: --note 'two words' "it's" pre"f i"x ''
@load hackbench
d:
`
	got, err := Parse("p", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Run{
		{"a", "6.12", nil, []string{"--cpu", "1", "--period", "5ms"}, 3},
		{"b.2", "6.12-rt", &load.Load{CPU: 1, Args: []string{"stress-ng", "--exec", "two words"}}, []string{"--fifo", "40"}, 6},
		{"c", "6.12-rt", nil, []string{"--note", "two words", "it's", "pref ix", ""}, 8},
		{"d", "6.12-rt", &load.Load{CPU: load.AnyCPU, Args: []string{"hackbench"}}, nil, 10},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "p: no run in this plan"},
		{"# only\n\n@kernel 6.1\n", "p: no run in this plan"},
		{"a: --x\na: --y\n", `p:2: name "a" is taken by line 1`},
		{"a --x\n", `p:1: want "name: flags"`},
		{"a b: --x\n", `p:1: name "a b"`},
		{"../a: --x\n", `p:1: name "../a"`},
		{".a: --x\n", `p:1: name ".a"`},
		{": --x\n", `p:1: name ""`},
		{"a: sigwait --x\n", `p:1: "sigwait" is no flag`},
		{"a: --x 'y\n", `p:1: quote ' without an end`},
		{"a: --x \"y\n", `p:1: quote " without an end`},
		{"a: --name q\n", "p:1: flag --name is set by siglab"},
		{"a: -odir\n", "p:1: flag -odir is set by siglab"},
		{"a: --out=dir\n", "p:1: flag --out=dir is set by siglab"},
		{"@kernel\n", "p:1: want @kernel and one name"},
		{"@kernel 6.1 6.12\n", "p:1: want @kernel and one name"},
		{"\n@kernel 2.6\n", `p:2: unknown kernel "2.6" (known: 5.10,`},
		{"@loud hackbench\n", `p:1: unknown directive "@loud"`},
		{"@load --cpu\n", "p:1: want a number after --cpu"},
		{"@load --cpu 0-1 hackbench\n", `p:1: --cpu "0-1": want the number of a CPU`},
		{"@load --cpu 1\n", "p:1: want [--cpu N] and a program"},
		{"@load --fifo 1 hackbench\n", "p:1: want [--cpu N] and a program"},
		{"@load 'x\n", "p:1: quote ' without an end"},
		{strings.Repeat("x", 1<<17), "p:1: longer than 65536 bytes: not a plan"},
		{"a: -qo dir\n", "p:1: flag -qo is set by siglab"},
		{"a: -qqodir\n", "p:1: flag -qqodir is set by siglab"},
		{strings.Repeat("\x80", 1000) + ": --x\n", `p:1: name "` + strings.Repeat(`\x80`, 40) + `": want`},
	} {
		_, err := Parse("p", strings.NewReader(test.text))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%.40q: got %v, want %s...", test.text, err, test.want)
		}
	}
}

func TestArticle(t *testing.T) {
	const path = "../../../../scripts/plans/article"
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := Parse(path, f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range runs {
		names = append(names, r.Name)
	}
	want := []string{"blocked-other", "blocked-same", "blocked-same-fifo", "busy-other", "busy-same-fifo"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
