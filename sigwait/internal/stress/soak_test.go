// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"encoding/binary"
	"flag"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

var (
	soakCount = flag.Uint64("soak", 1_000_000, "signals of TestSoak")
	soakBatch = flag.Duration("batch", 0, "let signals queue up so long before TestSoak takes them")
)

// TestSoak takes all signals at the smallest period and accounts for each: the
// sequence numbers are 0, 1, 2 and so on, refused ones left out; what came is
// what was sent; each expiry is an event or a counted loss of one.
func TestSoak(t *testing.T) {
	lockThread()
	var set unix.Sigset_t
	set.Val[0] = 1 << (sys.Signal - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil); err != nil {
		t.Fatal(err)
	}
	signals, err := unix.Signalfd(-1, &set, unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	d, err := sys.OpenDevice(sys.DevicePath, unix.O_RDWR|unix.O_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	info, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	c := sys.Config{Flags: sys.FlagEvents, Clock: unix.CLOCK_MONOTONIC, PeriodNS: info.MinPeriodNS, Count: *soakCount, CPU: 1}
	if err := d.SetConfig(c); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	s := &sums{signals: signals, d: d}
	for running := true; running; {
		st, err := d.Stats()
		if err != nil {
			t.Fatal(err)
		}
		running = st.State&sys.StateRunning != 0
		if err := s.takeAll(); err != nil {
			t.Fatal(err)
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(signals), Events: unix.POLLIN}}, 10)
		time.Sleep(*soakBatch)
	}
	st, err := d.Stats()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("soak: %d received, %d events, %v, statistics %+v\n", s.received, s.events, time.Since(begin).Round(time.Second), st)
	if st.Expired != c.Count || st.Sent+st.Refused != st.Expired || st.Sent != s.received || st.Refused != s.missing(c.Count) {
		t.Errorf("received %d, missing in the sequence %d", s.received, s.missing(c.Count))
	}
	if s.events+st.Dropped != st.Expired || s.refused != st.Refused && st.Dropped == 0 {
		t.Errorf("%d events, %d of them refusals, %d dropped", s.events, s.refused, st.Dropped)
	}
	if s.skipped > st.Overruns {
		t.Errorf("events tell of %d periods skipped, statistics of %d", s.skipped, st.Overruns)
	}
}

// sums of what came, by signal and by event.
type sums struct {
	signals  int
	d        sys.Device
	next     uint64 // sequence number
	gaps     uint64
	received uint64
	events   uint64
	refused  uint64
	skipped  uint64
	seq      uint64 // of the next event
}

// missing returns how many of n sequence numbers came with no signal.
func (s *sums) missing(n uint64) uint64 { return s.gaps + n - s.next }

func (s *sums) takeAll() error {
	raw := make([]byte, 128*64) // struct signalfd_siginfo, the value at offset 48
	for {
		n, err := unix.Read(s.signals, raw)
		if err == unix.EAGAIN {
			break
		}
		if err != nil {
			return err
		}
		for b := raw[:n]; len(b) > 0; b = b[128:] {
			seq := binary.NativeEndian.Uint64(b[48:]) >> 32
			if seq < s.next {
				return fmt.Errorf("signal %d after %d", seq, s.next-1)
			}
			s.gaps += seq - s.next
			s.next = seq + 1
			s.received++
		}
	}
	return s.takeEvents()
}

func (s *sums) takeEvents() error {
	events := make([]sys.Event, 512)
	for {
		n, err := s.d.ReadEvents(events)
		if err == unix.EAGAIN || err == nil && n == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range events[:n] {
			if e.Seq < s.seq || e.FiredNS < e.ExpiresNS || e.SentNS < e.FiredNS || e.DoneNS < e.SentNS {
				return fmt.Errorf("event %+v after sequence number %d", e, s.seq)
			}
			s.seq = e.Seq + 1
			s.events++
			s.skipped += uint64(e.Overruns)
			if e.Error != 0 {
				s.refused++
			}
		}
	}
}
