// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"siglat/sigwait"
)

var update = flag.Bool("update", false, "write what the command prints to the scripts and golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sigwait": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update})
}

func checkRun(t *testing.T, args []string, stdout io.Writer, code int, stderr string) {
	t.Helper()
	var errText strings.Builder
	if got := run(context.Background(), args, strings.NewReader(""), stdout, &errText); got != code || errText.String() != stderr {
		t.Errorf("sigwait %q: exit code %d, %q; want %d, %q", args, got, errText.String(), code, stderr)
	}
}

func TestHelp(t *testing.T) {
	var out strings.Builder
	checkRun(t, []string{"--help"}, &out, 0, "")
	for _, want := range append(sigwait.Receivers(), "Measure:", "Receiving thread:", "Output:", "Exit status:", "(default 100ms)", "(default 1000)") {
		if !strings.Contains(out.String(), want) {
			t.Errorf("--help does not tell %q", want)
		}
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		if len(line) > 100 {
			t.Errorf("--help: line too long: %q", line)
		}
	}
}

func TestParse(t *testing.T) {
	base := sigwait.Config{Mode: sigwait.ModeUser, Receiver: "sigwait", Device: "/dev/siglat", CPU: -1, TimerCPU: -1,
		Period: 100 * time.Millisecond, Count: 1000, Clock: sigwait.ClockMonotonic, Context: sigwait.ContextAuto}
	for _, c := range []struct {
		args string
		want func(*sigwait.Config)
	}{
		{"", func(*sigwait.Config) {}},
		{"--busy --cpu 0 --timer-cpu 1 --fifo 99", func(c *sigwait.Config) {
			c.Receiver, c.CPU, c.TimerCPU, c.Policy, c.Priority = "busy", 0, 1, sigwait.PolicyFIFO, 99
		}},
		{"--busy --receiver busy --rr 1", func(c *sigwait.Config) {
			c.Receiver, c.Policy, c.Priority = "busy", sigwait.PolicyRR, 1
		}},
		{"--receiver pause --other --period 1us -n 5", func(c *sigwait.Config) {
			c.Receiver, c.Policy, c.Period, c.Count = "pause", sigwait.PolicyOther, time.Microsecond, 5
		}},
		{"-t 1s", func(c *sigwait.Config) { c.Count = 0 }},
		{"-t 1s -n 7", func(c *sigwait.Config) { c.Count = 7 }},
		{"-n 0", func(c *sigwait.Config) { c.Count = 0 }},
		{"--source timer --cpu 0,2-3 -n 5", func(c *sigwait.Config) {
			c.Receiver, c.CPUs, c.Count = "", []int{0, 2, 3}, 5
		}},
		{"--mode kthread --fifo 90 --timer-cpu 1", func(c *sigwait.Config) {
			c.Mode, c.Receiver, c.TimerCPU, c.Policy, c.Priority = sigwait.ModeKthread, "", 1, sigwait.PolicyFIFO, 90
		}},
		{"--mode irq --context softirq", func(c *sigwait.Config) {
			c.Mode, c.Receiver, c.Context = sigwait.ModeIRQ, "", sigwait.ContextSoftIRQ
		}},
		{"--deadline 1ms:5ms:10ms --dma-latency 0", func(c *sigwait.Config) {
			c.Policy, c.DMALatencyUS = sigwait.PolicyDeadline, new(int32)
			c.Deadline = sigwait.Deadline{Runtime: time.Millisecond, Deadline: 5 * time.Millisecond, Period: 10 * time.Millisecond}
		}},
		{"--clock realtime --context thread --device x", func(c *sigwait.Config) {
			c.Clock, c.Context, c.Device = sigwait.ClockRealtime, sigwait.ContextThread, "x"
		}},
	} {
		want := base
		c.want(&want)
		o, err := parse(strings.Fields(c.args), io.Discard)
		if err != nil || !reflect.DeepEqual(o.config, want) {
			t.Errorf("%s: %+v, %v; want %+v", c.args, o, err, want)
		}
	}
}

func TestRunName(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("here", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir("here")
	for args, want := range map[string]string{
		"": "sigwait", "-o runs/a": "a", "-o runs/b/": "b", "-o .": "here", "-o x --name y": "y", "--name z": "z",
	} {
		if o, err := parse(strings.Fields(args), io.Discard); err != nil || o.name != want {
			t.Errorf("%q: %+v, %v; want %q", args, o, err, want)
		}
	}
}

func TestOfflineCPU(t *testing.T) {
	for _, c := range []struct {
		args, online string
		ok           bool
	}{
		{"--cpu 1", "0-1", true}, {"--cpu 2", "0-1", false}, {"--timer-cpu 1", "0,2", false}, {"--cpu 9", "", true}, {"", "0", true},
	} {
		o, err := parse(strings.Fields(c.args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.checkCPUs(c.online); (err == nil) != c.ok {
			t.Errorf("%s, online %s: %v", c.args, c.online, err)
		}
	}
}

func TestSourceAuto(t *testing.T) {
	present := func(string) error { return nil }
	absent := func(device string) error { return errors.New(device + ": device does not exist") }
	for _, c := range []struct {
		args, said string
		probe      func(string) error
		want       sigwait.Source
	}{
		{"", "", present, sigwait.SourceKernel},
		{"--device /dev/x", "sigwait: signals come from a thread of this process, not from the kernel: /dev/x: device does not exist\n", absent, sigwait.SourceUser},
		{"-q", "", absent, sigwait.SourceUser},
		{"--mode user", "", absent, sigwait.SourceKernel},
		{"--source kernel", "", absent, sigwait.SourceKernel},
		{"--source user", "", present, sigwait.SourceUser},
	} {
		o, err := parse(strings.Fields(c.args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		if o.chooseSource(c.probe, &said); o.config.Source != c.want || said.String() != c.said {
			t.Errorf("%s: %s, %q; want %s, %q", c.args, o.config.Source, said.String(), c.want, c.said)
		}
	}
}
