// SPDX-License-Identifier: GPL-2.0-only

//go:build fleet

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"siglat/analysis/recording"
	"siglat/cmd/sigwait/internal/metrics"
	"siglat/sigwait"
)

const top = "../.."

// unpacked returns a program of Debian's Prometheus (scripts/fleet/prometheus.sh).
func unpacked(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(top, "build/prometheus/usr/bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// build builds a command of this project.
func build(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	output(t, "go", "build", "-o", path, "siglat/cmd/"+name)
	return path
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A server is a Prometheus on loopback.
type server struct {
	t    *testing.T
	addr string
}

func startPrometheus(t *testing.T, data, config string) server {
	t.Helper()
	s := server{t, freePort(t)}
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(unpacked(t, "prometheus"), "--config.file="+file, "--storage.tsdb.path="+data, "--storage.tsdb.retention.time=10y",
		"--web.listen-address="+s.addr, "--enable-feature=native-histograms")
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s", &log)
		}
	})
	for range 300 {
		if res, err := http.Get("http://" + s.addr + "/-/ready"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return s
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("prometheus does not get ready: %s", &log)
	return s
}

// value returns the one value of an expression at a time, NaN without one.
func (s server) value(expression string, at time.Time) float64 {
	s.t.Helper()
	res, err := http.Get("http://" + s.addr + "/api/v1/query?" + url.Values{"query": {expression}, "time": {at.Format(time.RFC3339Nano)}}.Encode())
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Error string
		Data  struct{ Result []struct{ Value [2]any } }
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Error != "" {
		s.t.Fatalf("%s: %v %s", expression, err, answer.Error)
	}
	if len(answer.Data.Result) != 1 {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(fmt.Sprint(answer.Data.Result[0].Value[1]), 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// TestScrape lets a real Prometheus read a run, and compares what it answers
// with run.json.
func TestScrape(t *testing.T) {
	address, dir := freePort(t), filepath.Join(t.TempDir(), "run")
	prometheus := startPrometheus(t, t.TempDir(), "scrape_configs: [{job_name: siglat, scrape_interval: 500ms, scrape_timeout: 500ms, static_configs: [{targets: ['"+address+"']}]}]")
	output(t, build(t, "sigwait"), "--source", "user", "--period", "5ms", "-t", "8s", "-q", "-o", dir, "--metrics", address)
	ended := time.Now() // with the next reading, the series will end
	run, err := recording.ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	for expression, want := range map[string]float64{
		"siglat_signals_sent_total":               float64(run.Counts.Sent),
		"siglat_signals_received_total":           float64(run.Counts.Received),
		"siglat_signals_lost_total":               float64(run.Counts.Lost),
		"siglat_latency_worst_seconds":            float64(run.Latency.Max) / 1e9,
		"histogram_count(siglat_latency_seconds)": float64(run.Latency.Count),
		"siglat_run_info{host='" + run.Host.Hostname + "',kernel='" + run.Host.Kernel + "',source='user'}": 1,
	} {
		if got := prometheus.value(expression, ended); got != want {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}
	// A native bucket is at most 2.2 % wide.
	got, want := prometheus.value("histogram_quantile(0.99, siglat_latency_seconds)", ended), float64(run.Latency.P99)/1e9
	if !(math.Abs(got-want) <= 0.03*want) {
		t.Errorf("p99 is %v, want %v", got, want)
	}
}

// hour simulates what a recorder shows in an hour, scraped each 15 s: 100
// signals a second near 6 us, and by factor longer from half an hour on. It
// appends it to text in the form of OpenMetrics.
func hour(t *testing.T, text *bytes.Buffer, host string, begin time.Time, kernel string, factor float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(len(host)), 1))
	m := metrics.New()
	address := freePort(t)
	s, err := metrics.Serve(address, m)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m.Info(map[string]string{"host": host, "kernel": kernel, "config": "kernel, sigwait, FIFO 80"})
	var counts sigwait.Counts
	for at := time.Duration(0); at <= time.Hour; at += 15 * time.Second {
		scale := 1.0
		if at > 30*time.Minute {
			scale = factor
		}
		for range 1500 {
			m.Add(int64(scale * (5500 + 500*rng.ExpFloat64())))
			counts.Sent, counts.Received = counts.Sent+1, counts.Received+1
		}
		m.Count(&counts)
		res, err := http.Get(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		_, err = page.ReadFrom(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(page.String()) {
			name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
			if i := strings.LastIndexByte(strings.TrimSpace(line), ' '); i > 0 {
				name, value = line[:i], strings.TrimSpace(line[i:])
			}
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			labels := fmt.Sprintf(`job="siglat",instance="%s:9464"`, host)
			if base, own, has := strings.Cut(strings.TrimSuffix(name, "}"), "{"); has {
				name, labels = base, own+","+labels
			}
			fmt.Fprintf(text, "%s{%s} %s %d\n", name, labels, value, begin.Add(at).Unix())
		}
	}
}

// TestFleet: an hour of two recorders in one Prometheus; from half an hour on
// one of them is slower. The trend names it, with the time, and ends with 3.
func TestFleet(t *testing.T) {
	begin := time.Now().Add(-3 * time.Hour).Truncate(time.Hour)
	var text bytes.Buffer
	hour(t, &text, "lathe", begin, "6.12.1", 1)
	hour(t, &text, "mill", begin, "6.12.2", 1.5)
	text.WriteString("# EOF\n")
	file, data := filepath.Join(t.TempDir(), "hour.txt"), t.TempDir()
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	output(t, unpacked(t, "promtool"), "tsdb", "create-blocks-from", "openmetrics", file, data)
	prometheus := startPrometheus(t, data, "scrape_configs: []")
	trend := exec.Command(build(t, "sigreport"), "trend", "prometheus://"+prometheus.addr, "--since", "4h", "--step", "1m", "--fail-on", "regression")
	out, _ := trend.CombinedOutput()
	if trend.ProcessState.ExitCode() != 3 {
		t.Errorf("exit status %d", trend.ProcessState.ExitCode())
	}
	said := string(out)
	if strings.Count(said, "p99 rose by") != 1 || !strings.Contains(said, "on host mill (kernel, sigwait, FIFO 80)") || !strings.Contains(said, "first seen on "+begin.Add(31*time.Minute).UTC().Format(time.DateOnly)) {
		t.Errorf("%s", said)
	}
	if strings.Contains(said, "rose by 5 %") || !strings.Contains(said, "lathe") {
		t.Errorf("%s", said)
	}
}
