// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	figures "siglat/analysis/baseline"
	"siglat/cmd/internal/cli"
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
			return []baseline.Call{{Name: "one", Rounds: rounds, TotalNS: []int64{int64(40 * rounds)}}}, nil
		},
		canFIFO: func(int) error { return refuse },
	}
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
	if len(b.Calls) != 1 || b.Calls[0].NS != 40 || len(rings) != 12 {
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
	for _, args := range []string{"--procs=1", "--procs=97", "--kib=-1", "--fifo=100", "--rounds=0", "--repeats=0", "more"} {
		err := baselineCommand(context.Background(), []string{args}, fakeBaselines(nil, &rings), io.Discard, io.Discard)
		var code *cli.CodeError
		if !errors.As(err, &code) || code.Code != cli.ExitUsage {
			t.Errorf("%s: %v", args, err)
		}
	}
}
