// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParallel reads large files with lines of all kinds across the ends of
// pieces, as a file and as a stream, and compares with reading digit by digit.
func TestParallel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 3 {
		var text []byte
		for len(text) < parallelMin+pieceSize/2 {
			switch rng.IntN(40 * (trial + 1)) {
			case 0:
				text = append(text, " \t\r\n"...)
			case 1:
				text = fmt.Appendf(text, "%d\n", rng.Int64())
			case 2:
				text = fmt.Appendf(text, "-%d\r\n", rng.IntN(1e9))
			case 3:
				text = fmt.Appendf(text, "+00%d\n", rng.IntN(100))
			case 4:
				text = append(text, strings.Repeat(" ", rng.IntN(3000))+"7\n"...)
			default:
				text = fmt.Appendf(text, "%d\n", rng.Int64N(1<<(1+rng.IntN(30))))
			}
		}
		if trial == 1 {
			text = append(text, "123"...)
		}
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := readParallel(f, int64(len(text)), 1)
		f.Close()
		want, _ := slowly(text, 1)
		stream, err := Open([]string{"-"}, bytes.NewReader(text))
		if err != nil || !ok || !d.Equal(want) || !stream[0].Latencies().Equal(want) {
			t.Fatalf("trial %d: read %v, %v; %v, want %v", trial, ok, err, d.Moments(), want.Moments())
		}
		checkRedirected(t, path)
		// A wrong line is found with its number.
		line := bytes.Count(text[:len(text)/2], []byte("\n")) + 1
		bad := append(append(bytes.Clone(text[:len(text)/2]), 'x'), text[len(text)/2:]...)
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = Open([]string{"-"}, bytes.NewReader(bad))
		if want := fmt.Sprintf("stdin:%d: ", line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("trial %d: %v, want %s", trial, err, want)
		}
		if _, err := Open([]string{path}, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("x:%d: ", line)) {
			t.Errorf("trial %d: %v, want line %d", trial, err, line)
		}
	}
}

// checkRedirected reads a file as standard input, from its start and from its
// second line on.
func checkRedirected(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, from := range []int{0, bytes.IndexByte(text, '\n') + 1} {
		if _, err := f.Seek(int64(from), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		recs, err := Open([]string{Stdin}, f)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := slowly(text[from:], 1)
		if !recs[0].Latencies().Equal(want) || recs[0].Name != "stdin" {
			t.Errorf("%s from %d on: %v, want %v", recs[0].Name, from, recs[0].Latencies().Moments(), want.Moments())
		}
	}
}
