// SPDX-License-Identifier: GPL-2.0-only

package metrics

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"siglat/sigwait"
)

// read returns what Prometheus would get as text.
func read(t *testing.T, s *Server) string {
	t.Helper()
	r, err := http.Get(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func serve(t *testing.T) (*Metrics, *Server) {
	t.Helper()
	m := New()
	s, err := Serve("127.0.0.1:0", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return m, s
}

func TestMetrics(t *testing.T) {
	m, s := serve(t)
	m.Info(map[string]string{"kernel": "6.12"})
	for _, ns := range []int64{900, 1000, 1001, 7000, 6000} {
		m.Add(ns)
	}
	m.Count(&sigwait.Counts{Sent: 9, Received: 5, Lost: 4, Refused: 2})
	m.Count(&sigwait.Counts{Sent: 8, Received: 6, Lost: 2, Refused: 2, Invalid: 1, RingDrops: 3, Overruns: 4}) // one came late
	text := read(t, s)
	for _, want := range []string{
		`siglat_latency_seconds_bucket{le="1e-06"} 2`,
		`siglat_latency_seconds_bucket{le="2e-06"} 3`,
		`siglat_latency_seconds_bucket{le="+Inf"} 5`,
		`siglat_latency_seconds_count 5`,
		`siglat_latency_worst_seconds 7e-06`,
		`siglat_run_info{kernel="6.12"} 1`,
		`siglat_signals_sent_total 9`,
		`siglat_signals_received_total 6`,
		`siglat_signals_lost_total 4`,
		`siglat_signals_refused_total 2`,
		`siglat_signals_invalid_total 1`,
		`siglat_signals_unstamped_total 3`,
		`siglat_signals_skipped_total 4`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}

func TestLastReading(t *testing.T) {
	_, s := serve(t)
	s.Last(context.Background()) // nobody reads: returns
	read(t, s)
	s.Last(context.Background()) // once is not regularly: returns
	time.Sleep(2 * time.Second)
	read(t, s) // an interval of 2 s: the wait is 4 s at most
	done := make(chan struct{})
	go func() { defer close(done); s.Last(context.Background()) }()
	select {
	case <-done:
		t.Fatal("did not wait for a last reading, or took that before for it")
	case <-time.After(300 * time.Millisecond):
	}
	read(t, s)
	<-done
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	s.Last(ended)
}

func TestAddressInUse(t *testing.T) {
	_, s := serve(t)
	if _, err := Serve(s.listener.Addr().String(), New()); err == nil || !strings.Contains(err.Error(), "give a free address") {
		t.Errorf("%v", err)
	}
}
