// SPDX-License-Identifier: GPL-2.0-only

package trend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/analysis/recording"
)

// record writes a run as a recorder does.
func record(t testing.TB, dir, host, kernel string, start time.Time, latencies ...int64) {
	t.Helper()
	w, err := recording.Create(recording.Options{Dir: dir, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range latencies {
		w.Record(recording.SegmentLatency, ns)
	}
	run := &recording.Run{Start: start, Complete: true, Host: recording.Host{Hostname: host, Kernel: kernel},
		Config: recording.Config{Source: "kernel", PeriodNS: 1e8}, Effective: recording.Effective{Receiver: "sigwait", Placement: "same", Policy: "fifo", Priority: 40}}
	run.Counts.Sent, run.Counts.Received = uint64(len(latencies))+1, uint64(len(latencies))
	run.Counts.Lost = 1
	if err := w.Finish(run); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "b/2"), "lathe", "6.12.2", begin.Add(time.Hour), 5, 6, 7000)
	record(t, filepath.Join(dir, "a/1[x]"), "mill", "6.12.1", begin, 9)
	record(t, filepath.Join(dir, "empty"), "mill", "6.12.1", begin)
	for path, text := range map[string]string{"bad/run.json": "{", "killed/latency.hlog": "#x\n", "other/notes.txt": "x"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The file of another tool tells of no day.
	figures := &recording.Recording{Path: "cyclictest.txt"}
	figures.Latency.Count, figures.Latency.Max = 5, 7000
	if err := recording.WriteImport(filepath.Join(dir, "imported"), figures, "sigreport"); err != nil {
		t.Fatal(err)
	}
	points, left, err := Load(dir)
	if err != nil || len(points) != 2 || len(left) != 4 || !strings.Contains(strings.Join(left, "\n"), "imported from cyclictest.txt, which tells neither host nor time") {
		t.Fatalf("%+v, %q, %v", points, left, err)
	}
	p := points[1]
	if p.Host != "lathe" || p.Kernel != "6.12.2" || p.Max != 7000 || p.P50 != 6 || p.Count != 3 || p.Lost != 1 || !p.Start.Equal(begin.Add(time.Hour)) ||
		!strings.HasPrefix(p.Config, "kernel, sigwait, same CPU, FIFO 40, 100ms") {
		t.Errorf("%+v", p)
	}
	for _, name := range []string{"bad", "killed", "empty"} {
		if !strings.Contains(strings.Join(left, "\n"), name) {
			t.Errorf("%s is not named in %q", name, left)
		}
	}
	if _, _, err := Load(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a folder that is not there was read")
	}
}

// TestLoadForbidden: a folder that may not be read is named, the rest stands.
func TestLoadForbidden(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "a"), "mill", "6.12.1", begin, 9)
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Mkdir(filepath.Join(dir, "closed"), 0o311)); err != nil {
		t.Fatal(err)
	}
	// No mode stops root: be another user for the file system, on this thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		if err := unix.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Setfsuid(0) }()
	}
	points, left, err := Load(dir)
	if err != nil || len(points) != 1 || len(left) != 1 || !strings.Contains(left[0], "closed") {
		t.Errorf("%d points, %q, %v", len(points), left, err)
	}
}

// TestQuery reads what a server of the query API answers, and its failures.
func TestQuery(t *testing.T) {
	answers := map[string]string{
		"siglat_run_info":              `[{"metric":{"job":"j","instance":"i","host":"lathe","kernel":"6.12","preempt_rt":"true","config":"user, OTHER"},"values":[[3600,"1"],[7200,"1"]]}]`,
		"histogram_quantile(0.5":       `[{"metric":{"job":"j","instance":"i"},"values":[[3600,"0.000004"],[7200,"NaN"]]}]`,
		"histogram_quantile(0.99":      `[{"metric":{"job":"j","instance":"i"},"values":[[3600,"0.0000071"],[7200,"NaN"]]}]`,
		"siglat_latency_worst_seconds": `[{"metric":{"job":"j","instance":"i"},"values":[[3600,"0.5"]]},{"metric":{"job":"j","instance":"unknown"},"values":[[3600,"9"]]}]`,
		"siglat_signals_received":      `[{"metric":{"job":"j","instance":"i"},"values":[[3600,"99.7"]]}]`,
		"siglat_signals_lost":          `[]`,
	}
	body := func(query string) string {
		for start, result := range answers {
			if strings.Contains(query, start) {
				return `{"status":"success","data":{"resultType":"matrix","result":` + result + `}}`
			}
		}
		return `{"status":"error","error":"unknown"}`
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, body(r.FormValue("query")))
	}))
	defer server.Close()
	q := Query{Server: strings.TrimPrefix(server.URL, "http://"), End: time.Unix(7200, 0), Since: 2 * time.Hour, Step: time.Hour}
	points, err := q.Load(context.Background())
	want := Point{Key: Key{"lathe", "user, OTHER"}, Kernel: "6.12 (PREEMPT_RT)", Start: time.Unix(3600, 0).UTC(), P50: 4000, P99: 7100, Max: 5e8, Count: 100}
	if err != nil || len(points) != 1 || points[0] != want {
		t.Errorf("%+v, %v, want %+v", points, err, want)
	}
	for _, bad := range []string{`{"status":"error","error":"query is too long"}`, "<html>", ""} {
		body = func(string) string { return bad }
		if _, err := q.Load(context.Background()); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), q.Server) {
			t.Errorf("answer %q: %v", bad, err)
		}
	}
	server.Close()
	if _, err := q.Load(context.Background()); err == nil {
		t.Error("a server that is gone answered")
	}
}

// BenchmarkTrend follows 10,000 runs of 20 hosts: one, written again and again
// with another host, start and p99.
func BenchmarkTrend(b *testing.B) {
	dir := b.TempDir()
	rng := rand.New(rand.NewPCG(5, 6))
	latencies := make([]int64, 100_000)
	for j := range latencies {
		latencies[j] = int64(5000 + 1000*rng.ExpFloat64())
	}
	record(b, filepath.Join(dir, "0"), "host0", "6.12", begin, latencies...)
	run, err := recording.ReadRun(filepath.Join(dir, "0"))
	if err != nil {
		b.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "0", recording.LogFile))
	if err != nil {
		b.Fatal(err)
	}
	for i := 1; i < 10_000; i++ {
		run.Host.Hostname, run.Start = fmt.Sprint("host", i%20), begin.Add(time.Duration(i/20)*12*time.Hour)
		run.Latency.P99 = 9000 + rng.Int64N(2000)
		text, err := json.Marshal(run)
		to := filepath.Join(dir, fmt.Sprint(i))
		if err = errors.Join(err, os.Mkdir(to, 0o755), os.WriteFile(filepath.Join(to, recording.RunFile), text, 0o644),
			os.WriteFile(filepath.Join(to, recording.LogFile), log, 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for range b.N {
		points, left, err := Load(dir)
		if err != nil || len(points) != 10_000 || len(left) != 0 {
			b.Fatal(len(points), left, err)
		}
		Changes(Group(points), "p99", 0.1, 0.01)
	}
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*10, "%of10s")
}
