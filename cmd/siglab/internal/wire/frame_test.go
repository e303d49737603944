// SPDX-License-Identifier: GPL-2.0-only

package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// stream returns the bytes of some frames, and the frames.
func stream(t *testing.T) ([]byte, []Frame) {
	t.Helper()
	frames := []Frame{
		{Ready, []byte("6.12")}, {Stdout, []byte("hello\n")}, {Stderr, []byte{0, 255, 10, 13}},
		{Tar, bytes.Repeat([]byte{7}, MaxPayload)}, {TarEnd, []byte("1")}, {Exit, nil},
	}
	var b bytes.Buffer
	s := NewSender(&b)
	for _, f := range frames {
		if err := s.Send(f.Kind, f.Payload); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes(), frames
}

func decode(d *Decoder) ([]Frame, error) {
	var out []Frame
	for {
		f, ok, err := d.Next()
		if err != nil || !ok {
			return out, err
		}
		out = append(out, f)
	}
}

func TestFramesInPieces(t *testing.T) {
	data, want := stream(t)
	for _, size := range []int{1, 7, 4096, len(data)} {
		var d Decoder
		var got []Frame
		for rest := data; len(rest) > 0; {
			n := min(size, len(rest))
			d.Feed(rest[:n])
			rest = rest[n:]
			frames, err := decode(&d)
			if err != nil {
				t.Fatalf("pieces of %d: %v", size, err)
			}
			got = append(got, frames...)
		}
		if len(got) != len(want) || d.Pending() != 0 {
			t.Fatalf("pieces of %d: %d frames, %d bytes pending", size, len(got), d.Pending())
		}
		for i, f := range got {
			if f.Kind != want[i].Kind || !bytes.Equal(f.Payload, want[i].Payload) {
				t.Errorf("pieces of %d: frame %d differs", size, i)
			}
		}
	}
}

// Every damaged byte is noticed: as an error, or as a frame that never ends.
func TestDamage(t *testing.T) {
	var b bytes.Buffer
	s := NewSender(&b)
	_ = s.Send(Stdout, []byte("payload"))
	data := b.Bytes()
	for i := range data {
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(data)
			damaged[i] ^= flip
			var d Decoder
			d.Feed(damaged)
			frames, err := decode(&d)
			if len(frames) > 0 {
				t.Fatalf("byte %d ^ %#x: a frame came through", i, flip)
			}
			if err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("byte %d ^ %#x: error %v is not ErrCorrupt", i, flip, err)
			}
			if err == nil && d.Pending() == 0 {
				t.Errorf("byte %d ^ %#x: swallowed", i, flip)
			}
		}
	}
}

func TestTruncation(t *testing.T) {
	data, frames := stream(t)
	for n := range len(data) {
		if n > 200 && n < len(data)-200 {
			continue // inside the large payload
		}
		var d Decoder
		d.Feed(data[:n])
		got, err := decode(&d)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if len(got) == len(frames) {
			t.Fatalf("%d of %d bytes gave all frames", n, len(data))
		}
	}
}

func TestSenderSplits(t *testing.T) {
	var b bytes.Buffer
	want := bytes.Repeat([]byte("0123456789"), MaxPayload/4)
	if _, err := NewSender(&b).Writer(Tar).Write(want); err != nil {
		t.Fatal(err)
	}
	var d Decoder
	d.Feed(b.Bytes())
	frames, err := decode(&d)
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for _, f := range frames {
		got = append(got, f.Payload...)
	}
	if len(frames) != 3 || !bytes.Equal(got, want) {
		t.Errorf("%d frames, %d of %d bytes", len(frames), len(got), len(want))
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestSenderError(t *testing.T) {
	if err := NewSender(full{}).Send(Exit, nil); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v", err)
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("SIGF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d Decoder
		d.Feed(data)
		frames, _ := decode(&d)
		var again bytes.Buffer
		s := NewSender(&again)
		for _, fr := range frames {
			_ = s.Send(fr.Kind, fr.Payload)
		}
		if !bytes.HasPrefix(data, again.Bytes()) {
			t.Error("frames do not encode to what they came from")
		}
	})
}
