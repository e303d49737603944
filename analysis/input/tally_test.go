// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"siglat/analysis"
)

// slowly reads a text digit by digit.
func slowly(text []byte, unit int64) (*analysis.Distribution, bool) {
	p := plainReader{unit: unit, d: analysis.NewDistribution()}
	_, err := p.parse(text)
	return p.d, err == nil
}

// A pair reads texts both ways.
type pair struct {
	fast, failed *tally
	want         *analysis.Distribution
}

func newPair(unit int64) *pair {
	return &pair{newTally(unit), newTally(unit), analysis.NewDistribution()}
}

func (p *pair) read(t *testing.T, text []byte) {
	t.Helper()
	want, ok := slowly(text, p.fast.rest.unit)
	to := p.fast
	if ok {
		p.want.Merge(want)
	} else {
		to = p.failed
	}
	if to.parse(text) != ok {
		t.Fatalf("%q: read is %v, want %v", text, !ok, ok)
	}
}

func (p *pair) compare(t *testing.T) {
	t.Helper()
	if p.fast.fold(); p.want.Count() == 0 || !p.fast.rest.d.Equal(p.want) {
		t.Fatalf("%v, want %v", p.fast.rest.d.Moments(), p.want.Moments())
	}
}

// TestTallyBytes puts every byte into every place of a text.
func TestTallyBytes(t *testing.T) {
	text := []byte("7\n12\n345\n6789\n12345\n678901\n2345678\n0\n000000\n999999\n0999999\n1000000\n\n5\n60\n100000\n99\n1234\n")
	p := newPair(1)
	for i, old := range text {
		for c := range 256 {
			text[i] = byte(c)
			p.read(t, text)
		}
		text[i] = old
		p.compare(t)
	}
}

func TestTallyLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	kinds := []string{"", "0", "9", "10", "000000", "999999", "0000000", "0999999", "1000000", "12345678", "123456789012345678", "-5", "+7", " 7", "7\r", "9223372036"}
	for _, unit := range []int64{1, 1000} {
		p := newPair(unit)
		for trial := range 1000 {
			var text []byte
			for range rng.IntN(60) {
				text = append(append(text, kinds[rng.IntN(len(kinds))]...), '\n')
			}
			if trial%3 == 0 {
				text = append(text, "12"...)
			}
			p.read(t, text)
			if trial%20 == 0 {
				p.compare(t)
			}
		}
		p.compare(t)
	}
}

// TestTallyRoom lets the table be emptied between lines.
func TestTallyRoom(t *testing.T) {
	text := []byte(strings.Repeat("5\n123456\n", 50))
	fast := newTally(1)
	fast.room = len(text) * 3 / 2
	for range 10 {
		if !fast.parse(text) {
			t.Fatal("not read")
		}
	}
	if n := fast.rest.d.Count(); n < 100 {
		t.Errorf("%d values left the table", n)
	}
	fast.fold()
	if want, _ := slowly(bytes.Repeat(text, 10), 1); !fast.rest.d.Equal(want) {
		t.Errorf("%v, want %v", fast.rest.d.Moments(), want.Moments())
	}
}
