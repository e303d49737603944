// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"siglat/analysis/atomicfile"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
	"siglat/sigwait"
	"siglat/sigwait/blame"
)

// openBlame begins to trace; the run goes on where that cannot be done.
func (r *recorder) openBlame(eff *sigwait.Effective, e engine, stderr io.Writer) *blamer {
	b, err := newBlamer(r.o, eff, e.trace)
	if err != nil {
		r.run.Warnings = append(r.run.Warnings, fmt.Sprintf("nobody is blamed: %v", err))
		if !r.o.quiet {
			fmt.Fprintf(stderr, "sigwait: the run goes on without --blame: %v\n", err)
		}
	}
	return b
}

// startBlame tells the time at which a run with blame has begun.
func (r *recorder) startBlame() (err error) {
	if r.blame == nil {
		return nil
	}
	r.blame.start, r.blame.base = r.start, r.base
	if r.writer != nil {
		r.blame.log, err = newBlameLog(r.o.out, r.o.blameEvery, r.start)
	}
	return err
}

// tick ends an interval of the log of blame, if it is over.
func (b *blamer) tick(elapsed time.Duration) error {
	if b == nil {
		return nil
	}
	return b.log.tick(elapsed)
}

// judge keeps a sample that is one of the worst, and what is to blame for it.
func (r *recorder) judge(s *sigwait.Sample) {
	breaks := r.o.breakAbove > 0 && way(s) > int64(r.o.breakAbove)
	kept := []*recording.Sample{r.worst.add(s, s.LatencyNS, r.base)}
	if r.blame != nil {
		v := r.blame.judge(s)
		kept = append(kept, r.late.add(s, way(s), r.base))
		for _, k := range kept {
			if k != nil {
				k.Blame = r.blame.record(s, &v, breaks)
			}
		}
	}
	if breaks {
		r.broken = &broken{seq: s.Seq, way: time.Duration(way(s)), trace: r.blame.text(s)}
		r.stop()
	}
}

// writeBlame writes what run.json says of blame for a person.
func (r *recorder) writeBlame() error {
	if r.blame == nil {
		return nil
	}
	err := r.blame.log.close(time.Duration(r.run.ElapsedNS))
	err = errors.Join(err, atomicfile.Write(filepath.Join(r.o.out, blameFile), func(w io.Writer) error { return blameText(w, r.run) }))
	if r.broken != nil {
		err = errors.Join(err, atomicfile.Write(filepath.Join(r.o.out, traceFile), func(w io.Writer) error {
			_, err := w.Write(r.broken.trace)
			return err
		}))
	}
	return err
}

// traceFile in a run directory holds what came before the sample that broke
// the run.
const traceFile = "trace.txt"

// traceBefore is how long before the expiry the trace begins.
const traceBefore = 10 * time.Millisecond

// text returns the trace that ends with a sample.
func (b *blamer) text(s *sigwait.Sample) []byte {
	if b == nil {
		return nil
	}
	var buf bytes.Buffer
	w := blame.Of(s, b.source)
	from := cmp.Or(w.ExpiresNS, w.SentNS) - int64(traceBefore)
	_ = b.tracer.WriteText(&buf, from, w) // a buffer takes all
	return buf.Bytes()
}

// A broken sample took too long.
type broken struct {
	seq   uint64
	way   time.Duration
	trace []byte
	later uint64 // came before the end of the run; in no figure but the counts
}

func (b *broken) text(limit time.Duration) string {
	text := fmt.Sprintf("signal %d took %v, which is above %v", b.seq, b.way, limit)
	if b.later > 0 {
		text += fmt.Sprintf("; %d later ones are counted, but in no other figure", b.later)
	}
	return text
}

func (b *broken) exceeded(limit time.Duration) error {
	return cli.Exceededf("%s", b.text(limit))
}
