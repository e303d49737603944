// SPDX-License-Identifier: GPL-2.0-only

package metrics

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Path is where a [Server] shows the metrics.
const Path = "/metrics"

// A Server lets Prometheus read metrics by HTTP.
type Server struct {
	listener net.Listener
	http     *http.Server
	scraped  chan time.Time // start of each reading, as long as there is room

	mu       sync.Mutex
	last     time.Time     // start of the last reading
	interval time.Duration // between the last two, 0 before
}

// Serve shows m at an address such as 127.0.0.1:9464 or :9464, all of this
// host, until Close. It does not block.
func Serve(address string, m *Metrics) (*Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve metrics: %w; give a free address, as 127.0.0.1:9464", err)
	}
	s := &Server{listener: l, scraped: make(chan time.Time, 1)}
	mux := http.NewServeMux()
	handler := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		handler.ServeHTTP(w, r)
		s.read(began)
	})
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return s, nil
}

// URL returns where the metrics are.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + Path }

func (s *Server) read(began time.Time) {
	s.mu.Lock()
	if !s.last.IsZero() {
		s.interval = began.Sub(s.last)
	}
	s.last = began
	s.mu.Unlock()
	select {
	case s.scraped <- began:
	default:
	}
}

// mostWait bounds the wait for a last reading.
const mostWait = 20 * time.Second

// Last waits until the metrics, which do not change any more, are read once
// more, if somebody reads them regularly: for two intervals at most, and not
// longer than ctx.
func (s *Server) Last(ctx context.Context) {
	if s == nil {
		return
	}
	s.mu.Lock()
	wait := min(2*s.interval, mostWait)
	s.mu.Unlock()
	if wait == 0 {
		return
	}
	now := time.Now()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		select {
		case began := <-s.scraped:
			if began.After(now) {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the server.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	return s.http.Close()
}
