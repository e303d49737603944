// SPDX-License-Identifier: GPL-2.0-only

// Package wire is what the host and the init program of a guest say to each
// other: the job in the initramfs, and frames on the second serial port.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// A Kind tells what the payload of a frame is.
type Kind uint8

// Kinds of frames.
const (
	Ready  Kind = 1 + iota // the command starts now; payload: kernel release
	Stdout                 // output of the command
	Stderr                 // output of the command
	Exit                   // last frame; payload: exit status, decimal
	Tar                    // part of the result tree's tar stream
	TarEnd                 // the tar stream is whole; payload: its length, decimal
	Failed                 // the guest could not do the job; payload: why
	kinds
)

const (
	magic      = 0x53494746 // "SIGF"
	headerSize = 9          // magic, kind, payload length
	trailer    = 4          // CRC-32 of kind, length and payload

	// MaxPayload is the largest payload of a frame in bytes.
	MaxPayload = 32 << 10
)

// A Frame is one message.
type Frame struct {
	Kind    Kind
	Payload []byte
}

// ErrCorrupt is wrapped by the errors of [Decoder.Next] for bytes that no
// Sender has written.
var ErrCorrupt = errors.New("corrupt channel")

// A Sender writes frames; it may be used by several goroutines.
type Sender struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewSender returns a Sender that writes each frame by one Write call to w.
func NewSender(w io.Writer) *Sender { return &Sender{w: w} }

// Send writes payload in as many frames as it needs, at least one.
func (s *Sender) Send(kind Kind, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		part := payload[:min(len(payload), MaxPayload)]
		s.buf = appendFrame(s.buf[:0], kind, part)
		if _, err := s.w.Write(s.buf); err != nil {
			return fmt.Errorf("write channel: %w", err)
		}
		if payload = payload[len(part):]; len(payload) == 0 {
			return nil
		}
	}
}

// Writer returns a writer that sends what it is given as frames of one kind.
func (s *Sender) Writer(kind Kind) io.Writer { return kindWriter{s, kind} }

type kindWriter struct {
	s    *Sender
	kind Kind
}

func (w kindWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := w.s.Send(w.kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func appendFrame(b []byte, kind Kind, payload []byte) []byte {
	start := len(b) + 4
	b = binary.BigEndian.AppendUint32(b, magic)
	b = append(b, byte(kind))
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	b = append(b, payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// A Decoder takes the channel's bytes apart as they come.
type Decoder struct {
	buf []byte
}

// Feed appends bytes of the channel.
func (d *Decoder) Feed(p []byte) { d.buf = append(d.buf, p...) }

// Pending returns how many bytes are waiting for the rest of their frame.
func (d *Decoder) Pending() int { return len(d.buf) }

// Next returns the next whole frame; false means that more bytes are needed.
// The payload is the caller's. After an error the channel is unusable.
func (d *Decoder) Next() (Frame, bool, error) {
	if len(d.buf) < headerSize {
		return Frame{}, false, nil
	}
	if got := binary.BigEndian.Uint32(d.buf); got != magic {
		return Frame{}, false, fmt.Errorf("%w: bad frame start %#x", ErrCorrupt, got)
	}
	kind := Kind(d.buf[4])
	size := int(binary.BigEndian.Uint32(d.buf[5:]))
	if kind == 0 || kind >= kinds || size > MaxPayload {
		return Frame{}, false, fmt.Errorf("%w: frame of kind %d, %d bytes", ErrCorrupt, kind, size)
	}
	total := headerSize + size + trailer
	if len(d.buf) < total {
		return Frame{}, false, nil
	}
	sum := binary.BigEndian.Uint32(d.buf[headerSize+size:])
	if sum != crc32.ChecksumIEEE(d.buf[4:headerSize+size]) {
		return Frame{}, false, fmt.Errorf("%w: checksum of a frame of %d bytes", ErrCorrupt, size)
	}
	payload := append([]byte(nil), d.buf[headerSize:headerSize+size]...)
	d.buf = append(d.buf[:0], d.buf[total:]...)
	return Frame{kind, payload}, true, nil
}
