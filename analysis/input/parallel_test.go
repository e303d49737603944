// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
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
