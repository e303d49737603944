// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	figures "siglat/analysis/baseline"
	"siglat/cmd/internal/cli"
	"siglat/sigwait"
	"siglat/sigwait/baseline"
)

// fakeBaselines has a clock on which a pass takes 1000 ns, 10 more for each
// KiB, and the calls alone 300.
func fakeBaselines(refuse error, rings *[]baseline.Ring) measurer {
	return measurer{
		ring: func(_ context.Context, r baseline.Ring) ([]int64, error) {
			*rings = append(*rings, r)
			pass := int64(1000 + 10*r.Bytes>>10)
			if r.Overhead {
				pass = 300
			}
			return []int64{1, pass * int64(r.Procs*r.Rounds), 1 << 60}, nil
		},
		calls: func(cpu, priority, rounds, repeats int) ([]baseline.Call, error) {
			return []baseline.Call{{Name: baseline.Check, Rounds: rounds, TotalNS: []int64{int64(40 * rounds)}},
				{Name: baseline.Caught, Rounds: rounds, TotalNS: []int64{int64(90 * rounds)}}}, nil
		},
		canFIFO: func(int) error { return refuse },
		wakeUps: func(cpu, priority, rounds int) (waking, alone []int64, err error) {
			return []int64{500, 520, 9999}, []int64{100, 110, 130}, nil
		},
		cpus: func() ([]int, error) { return []int{0, 3}, nil },
		spin: func(cpu, priority int, delay, span time.Duration) ([]baseline.Gap, error) {
			return []baseline.Gap{{FromNS: 0, ToNS: 90}, {FromNS: 900, ToNS: 1700}, {FromNS: 1900, ToNS: 2750}}, nil
		},
		engine: engine{run: fakeTimers, probe: func(device string) error {
			if device == "/none" {
				return errors.New("no module here")
			}
			return nil
		}},
	}
}

// fakeTimers has two expiries on each CPU, at 1000 and 2000 ns; the module's
// thread is served 30 ns after its callback.
func fakeTimers(_ context.Context, c sigwait.Config, started func(sigwait.Effective), sink func([]sigwait.Sample)) (*sigwait.Result, error) {
	started(sigwait.Effective{})
	cpus, late := c.CPUs, int64(70)
	if c.Source == sigwait.SourceKernel {
		cpus, late = []int{c.TimerCPU}, 10
		if c.Mode == sigwait.ModeKthread {
			late = 40
		}
	}
	for _, cpu := range cpus {
		sink([]sigwait.Sample{{ReceivedNS: 1000, LatencyNS: late + int64(cpu), CPU: cpu}, {ReceivedNS: 2000, LatencyNS: late + 9, CPU: cpu}})
	}
	return &sigwait.Result{}, nil
}

func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	var rings []baseline.Ring
	err := baselineCommand(context.Background(), []string{"-o", dir, "--kib", "0,1", "--procs", "2,96"}, fakeBaselines(nil, &rings), &text, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	b, err := figures.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p := b.PingPong; p.Procs != 2 || p.Rounds != 5000 || p.PassNS != 1000 || p.OverheadNS != 300 || p.SwitchNS != 700 {
		t.Errorf("ping-pong %+v", p)
	}
	if len(b.Matrix) != 4 || b.Matrix[3].Procs != 96 || b.Matrix[3].SwitchNS != 710 || b.Priority != 99 || b.TimerResolutionNS <= 0 {
		t.Errorf("%+v", b)
	}
	if b.Futex.SwitchNS != 700 || b.Across.SwitchNS != 700 || !slices.Equal(rings[6].CPUs, []int{0, 3}) || rings[6].Link != baseline.Futex {
		t.Errorf("%+v, %+v; %+v", b.Futex, b.Across, rings[6])
	}
	if len(b.Timers) != 2 || b.Timers[1] != (figures.Latency{CPU: 3, Count: 2, MinNS: 73, P50NS: 73, MaxNS: 79}) {
		t.Errorf("timers %+v", b.Timers)
	}
	if m := b.Module; m == nil || m.IRQ.P50NS != 10 || m.Kthread.P50NS != 40 || m.RestNS != 700 {
		t.Errorf("module %+v", m)
	}
	if len(b.Calls) != 4 || b.Calls[3] != (figures.Call{Name: figures.CostWakeUp, NS: 410}) || b.Calls[0].NS != 40 || b.Calls[2] != (figures.Call{Name: figures.CostHandler, NS: 50}) || len(rings) != 18 || !rings[8].Threads || rings[10].Threads || b.Signal.PassNS != 1000 {
		t.Errorf("calls %+v, %d rings", b.Calls, len(rings))
	}
	if !strings.Contains(text.String(), "CPU 0, FIFO 99") || !strings.Contains(text.String(), "710") {
		t.Error(text.String())
	}
}

// Without the right to real-time priority the default gives way and says so;
// what was asked for does not.
func TestBaselineWithoutPriority(t *testing.T) {
	refused := errors.New("refused")
	var said strings.Builder
	var rings []baseline.Ring
	if err := baselineCommand(context.Background(), nil, fakeBaselines(refused, &rings), io.Discard, &said); err != nil || !strings.Contains(said.String(), "SCHED_OTHER: refused") || rings[0].Priority != 0 {
		t.Errorf("%v, said %q, %+v", err, said.String(), rings[0])
	}
	if err := baselineCommand(context.Background(), []string{"--fifo", "50"}, fakeBaselines(refused, &rings), io.Discard, io.Discard); !errors.Is(err, refused) {
		t.Errorf("asked for: %v", err)
	}
	for _, args := range []string{"--procs=1", "--procs=97", "--kib=-1", "--fifo=100", "--rounds=0", "--repeats=0", "--period=1us", "--count=0", "more"} {
		err := baselineCommand(context.Background(), []string{args}, fakeBaselines(nil, &rings), io.Discard, io.Discard)
		var code *cli.CodeError
		if !errors.As(err, &code) || code.Code != cli.ExitUsage {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// Without the module the rest is measured, and a warning says what is not; an
// interrupt ends it without figures that are not whole.
func TestBaselineWithoutModule(t *testing.T) {
	dir := t.TempDir()
	var rings []baseline.Ring
	if err := baselineCommand(context.Background(), []string{"--device", "/none", "-o", dir}, fakeBaselines(nil, &rings), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	b, err := figures.Read(dir)
	if err != nil || b.Module != nil || len(b.Timers) != 2 || len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "no module here") {
		t.Errorf("%+v, %v", b, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir = t.TempDir()
	if err := baselineCommand(ctx, []string{"-o", dir}, fakeBaselines(nil, &rings), io.Discard, io.Discard); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := figures.Read(dir); err == nil {
		t.Error("figures of an interrupted measurement")
	}
}

// The names by which figures are found are those by which they are measured.
func TestBaselineNames(t *testing.T) {
	for got, want := range map[string]string{
		figures.CostSystemCall: baseline.SystemCall, figures.CostClockRead: baseline.ClockRead, figures.CostCheck: baseline.Check,
		figures.CostTaken: baseline.Taken, figures.CostRead: baseline.Read, figures.CostCaught: baseline.Caught, figures.CostStamped: baseline.Stamped,
		figures.CostMask: baseline.Mask, figures.CostBurst: baseline.Burst,
	} {
		if got != want {
			t.Errorf("%q, measured as %q", got, want)
		}
	}
}
