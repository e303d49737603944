// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"siglat/analysis/recording"
)

var update = flag.Bool("update", false, "write what the commands print to the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sigreport": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"mkrun": mkrun},
	})
}

// mkrun DIR [same|other [killed|samples]] writes a run of 1000 latencies, with
// samples of two more.
func mkrun(ts *testscript.TestScript, _ bool, args []string) {
	args = append(args, "same", "")
	placement, killed, samples := args[1], args[2] == "killed", args[2] == "samples"
	w, err := recording.Create(recording.Options{Dir: ts.MkAbs(args[0]), Start: time.Unix(1_700_000_000, 0), Samples: samples})
	ts.Check(err)
	if samples {
		w.Record(recording.SegmentLatency, 1004999) // its class reaches beyond 1005000
		w.Record(recording.SegmentLatency, 2000000)
	}
	median := int64(5800)
	if placement == "other" {
		median = 7400
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		w.Record(recording.SegmentLatency, median+rng.Int64N(400)-200)
		if i%100 == 99 {
			ts.Check(w.Interval(time.Duration(i/100)*time.Second, time.Duration(i/100+1)*time.Second))
		}
	}
	if killed {
		ts.Check(w.Close())
		return
	}
	ts.Check(w.Finish(&recording.Run{
		Name: fmt.Sprintf("blocked-%s", placement), ElapsedNS: 10e9, Complete: true, Clock: "virtual",
		Config: recording.Config{Source: "kernel", Receiver: "sigwait", PeriodNS: 1e7},
		Effective: recording.Effective{
			Policy: "other", CPUs: []int{0}, Placement: placement, Context: "softirq", Receiver: "sigwait", Stamp: "vdso", StampClock: "monotonic",
		},
		Host:   recording.Host{Hostname: "lab", Kernel: "6.12.0-amd64", CPUModel: "model", Lab: map[string]string{"qemu": "7.2.22"}},
		Counts: recording.Counts{Sent: 1000, Received: 1000},
	}))
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	text := t.TempDir() + "/x.txt"
	if err := os.WriteFile(text, []byte("1\n2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"stats", text}, {"stats", "--json", text}, {"hist", "--bins", "100000", "--max", "1000000", text}, {"compare", text, text}, {"--help"}, {"stats", "--help"}} {
		checkRun(t, args, full, 1, "sigreport: write output: no space left on device\n")
	}
}
