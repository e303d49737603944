// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRawParallel reads a large samples.raw as a file and as a stream, and
// finds a wrong record and a cut by their numbers either way.
func TestRawParallel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var raw []byte
	records := 0
	for ; len(raw) < parallelMin+3*rawPiece/2; records++ {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(rng.IntN(5)))
		raw = binary.LittleEndian.AppendUint64(raw, uint64(records))
		raw = binary.LittleEndian.AppendUint64(raw, uint64(rng.IntN(1e9)))
		raw = binary.LittleEndian.AppendUint64(raw, rng.Uint64N(1<<rng.IntN(20)))
	}
	path := filepath.Join(t.TempDir(), "samples.raw")
	both := func(raw []byte) (file, stream string) {
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		text := func(arg string) string {
			recs, err := Open([]string{arg}, bytes.NewReader(raw))
			if err != nil {
				return strings.Replace(err.Error(), path, "stdin", 1)
			}
			out := ""
			for _, r := range recs {
				out += fmt.Sprintln(strings.TrimPrefix(r.Name, filepath.Base(arg)), r.Latencies().Moments())
			}
			return strings.ReplaceAll(out, "stdin", "")
		}
		return text(path), text(Stdin)
	}
	file, stream := both(raw)
	if file != stream || strings.Count(file, "count=") != 5 {
		t.Errorf("file:\n%s\nstream:\n%s", file, stream)
	}
	wrong := bytes.Clone(raw)
	at := records / 2 * rawSize
	copy(wrong[at:], "\xff\xff\xff\xff")
	for _, c := range []struct {
		raw  []byte
		want string
	}{
		{wrong, fmt.Sprintf("read stdin: record %d is no sample", records/2+1)},
		{raw[:at+5], fmt.Sprintf("read stdin: cut off: 5 bytes after record %d", records/2)},
	} {
		if file, stream := both(c.raw); file != c.want || stream != c.want {
			t.Errorf("%q and %q, want %q", file, stream, c.want)
		}
	}
}
