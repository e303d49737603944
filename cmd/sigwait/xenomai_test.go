// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"testing"
	"time"

	"siglat/analysis/input"
	"siglat/analysis/recording"
	"siglat/sigwait"
)

// xenomai returns what a run of 22 s in a mode prints; of each second the
// samples last 1900 ns to 2800 ns from the sending on.
func xenomai(t *testing.T, mode sigwait.Mode, parts bool) []byte {
	t.Helper()
	var out bytes.Buffer
	o := &options{xenomai: true, config: sigwait.Config{Mode: mode, Period: 1500 * time.Microsecond, Count: 20000}}
	s := newScreen(o, &out, new(bytes.Buffer))
	s.started(sigwait.Effective{Priority: 80})
	for second := range 22 {
		for i := range int64(10) {
			s.add(&sigwait.Sample{LatencyNS: 1900 + i*100, HasParts: parts, TimerNS: 700, ModuleNS: 50})
		}
		if second == 20 {
			s.add(&sigwait.Sample{LatencyNS: 1_234_567_890, Overruns: 823, HasParts: parts})
		}
		s.line(time.Duration(second+1)*time.Second+3*time.Millisecond, 0)
	}
	s.line(23*time.Second, 0)
	run := &recording.Run{ElapsedNS: 22_123_456_789, Counts: recording.Counts{Overruns: 823}, Warnings: []string{"as told"}}
	if err := s.table.end(run); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestXenomai reads what is printed with the importer of Xenomai's own output.
func TestXenomai(t *testing.T) {
	for _, c := range []struct {
		mode           sigwait.Mode
		parts          bool
		min, mean, max int64
	}{
		// The means are (22 * 23500 + 1234567890) / 221 and, of samples with
		// another 750 ns before the sending, (22 * 31000 + 1234567890) / 221.
		{sigwait.ModeKthread, false, 1900, 5588619, 1_234_567_890},
		{sigwait.ModeUser, true, 2650, 5589366, 1_234_567_890},
	} {
		text := xenomai(t, c.mode, c.parts)
		golden(t, "xenomai-"+string(c.mode)+".golden", text)
		all, err := input.Open([]string{"-"}, bytes.NewReader(text))
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d recordings, %v", c.mode, len(all), err)
		}
		if l := all[0].Run.Latency; l.Min != c.min || int64(l.Mean) != c.mean || l.Max != c.max {
			t.Errorf("%s: min %d, mean %f, max %d; want %d, %d, %d", c.mode, l.Min, l.Mean, l.Max, c.min, c.mean, c.max)
		}
	}
}

func TestMicro(t *testing.T) {
	for ns, want := range map[int64]string{0: "0.000", 7: "0.007", 1234567: "1234.567", -1: "-0.001", -2500: "-2.500"} {
		if got := micro(ns); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
}
