// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"siglat/analysis"
	"siglat/analysis/recording"
)

type collect struct{ got []int64 }

func (c *collect) Values(ns []int64) { c.got = append(c.got, ns...) }

// read parses text as standard input and returns its values too.
func read(in io.Reader) (*recording.Recording, []int64, error) {
	var c collect
	r := Reader{Stdin: in, Sink: func(string) Sink { return &c }}
	recs, err := r.Open([]string{Stdin})
	if err != nil {
		return nil, nil, err
	}
	return recs[0], c.got, nil
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int64
	}{
		{"1\n2\n3\n", []int64{1, 2, 3}},
		{"1\n2\n3", []int64{1, 2, 3}},
		{"1\r\n2\r\n", []int64{1, 2}},
		{"\n\n7\n\n", []int64{7}},
		{" 7\t\n+8 \n-9\n", []int64{7, 8, -9}},
		{"0007\n", []int64{7}},
		{"9223372036854775807\n-9223372036854775808\n", []int64{math.MaxInt64, math.MinInt64}},
		{"000000000000000000000000000012\n", []int64{12}},
		{"999999999999999999\n1000000000000000000\n", []int64{999999999999999999, 1000000000000000000}},
		{strings.Repeat("\n", 3*peekSize) + "5\n", []int64{5}},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text)), iotest.DataErrReader(strings.NewReader(c.text))} {
			rec, got, err := read(in)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%.40q: %v, %v", c.text, got, err)
				continue
			}
			want := analysis.NewDistribution()
			for _, v := range c.want {
				want.Record(v)
			}
			if !rec.Latencies().Equal(want) || rec.Counts.Received != want.Count() || rec.Latency != want.Summary() || rec.Name != "stdin" || rec.HasRun {
				t.Errorf("%.40q: %+v", c.text, rec.Run)
			}
		}
	}
}

func TestPlainErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "read stdin: empty: no latencies in it"},
		{"\n \r\n\n", "read stdin: empty: no latencies in it"},
		{"abc\n", `read stdin:1: "abc" is not an integer`},
		{"\n\nabc\n", `read stdin:3: "abc" is not an integer`},
		{"1\n2\nx3\n4\n", `read stdin:3: "x3" is not an integer`},
		{"1\n2 3\n", `read stdin:2: "2 3" is not an integer`},
		{"1\n2.5\n", `read stdin:2: "2.5" is not an integer`},
		{"1\n-\n", `read stdin:2: "-" is not an integer`},
		{"1\n--2\n", `read stdin:2: "--2" is not an integer`},
		{"1\n# note\n", `read stdin:2: "# note" is not an integer`},
		{"1\n2\n3x", `read stdin:3: "3x" is not an integer`},
		{"1\n9223372036854775808\n", "read stdin:2: 9223372036854775808 is out of range"},
		{"1\n-9223372036854775809\n", "read stdin:2: -9223372036854775809 is out of range"},
		{"1\n99999999999999999999999999\n", "read stdin:2: 99999999999999999999999999 is out of range"},
		{"1\n" + strings.Repeat("2", 2*chunkSize), "read stdin:2: \"2222222222222222222222222222222222222222\"... is not an integer"},
		{strings.Repeat("1\n", chunkSize) + "q\n", fmt.Sprintf(`read stdin:%d: "q" is not an integer`, chunkSize+1)},
		{"1\n" + strings.Repeat("z", 100) + "\n", `read stdin:2: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"... is not an integer`},
		{"\x1f\x8b\x08\x00", "read stdin: compressed with gzip"},
		{"\x7fELF\x00\x00", "read stdin: binary file of no known format"},
	} {
		_, _, err := read(strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, _, err := read(io.MultiReader(strings.NewReader("1\n2\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a failing reader: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, d := range []string{"a", "b", "empty"} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"a/x.txt": "1\n", "b/x.txt": "2\n", "y.txt": "3\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := recording.Create(recording.Options{Dir: "runs/one"})
	if err != nil {
		t.Fatal(err)
	}
	w.Record(recording.SegmentLatency, 1234)
	if err := w.Finish(&recording.Run{Name: "first"}); err != nil {
		t.Fatal(err)
	}
	recs, err := Open([]string{"a/x.txt", "runs/one", "y.txt", "b/x.txt", "-"}, strings.NewReader("4\n"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range recs {
		names = append(names, r.Name+" "+strconv.FormatInt(r.Latency.Max, 10))
	}
	if want := []string{"a/x.txt 1", "first 1234", "y.txt 3", "b/x.txt 2", "stdin 4"}; !slices.Equal(names, want) {
		t.Errorf("opened %q, want %q", names, want)
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"none"}, "open input: stat none: no such file or directory"},
		{[]string{"empty"}, "open run empty: no run in this directory"},
		{[]string{"runs"}, "there are 1 runs below it: give " + filepath.Join("runs", "*")},
		{[]string{"-", "-"}, "read stdin: given twice"},
	} {
		if _, err := Open(c.paths, strings.NewReader("1\n")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%q): %v, want %s", c.paths, err, c.want)
		}
	}
}

// FuzzPlain compares with the obvious way to read integers.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{"1\n2\n", "-5\r\n\n+7", "9223372036854775808", " 1 2\n", "1\x00\n", "00000000000000000001\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want []int64
		bad := 0
		for i, line := range strings.Split(text, "\n") {
			line = strings.Trim(line, " \t\r")
			if line == "" {
				continue
			}
			v, err := strconv.ParseInt(line, 10, 64)
			if err != nil {
				bad = i + 1
				break
			}
			want = append(want, v)
		}
		p := plainReader{d: analysis.NewDistribution(), sink: &collect{}}
		lines, err := p.parse([]byte(text))
		p.flush()
		if (err != nil) != (bad > 0) || bad > 0 && lines+1 != bad {
			t.Fatalf("error %v at line %d, want %d", err, lines+1, bad)
		}
		if got := p.sink.(*collect).got; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func BenchmarkPlain(b *testing.B) {
	var text []byte
	for i := range 100_000 {
		text = append(strconv.AppendInt(text, int64(5000+i%1500), 10), '\n')
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		p := plainReader{d: analysis.NewDistribution()}
		if _, err := p.parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
