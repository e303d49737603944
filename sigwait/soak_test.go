// SPDX-License-Identifier: GPL-2.0-only

//go:build soak

package sigwait

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	soakSignals   = flag.Uint64("signals", 1_000_000, "send `N` signals to each receiver")
	soakReceivers = flag.String("receivers", "", "`NAMES` of receivers, by commas, instead of all")
)

// TestSoak sends a million signals to each receiver and closes every account:
// by the module where its device is there, else by a thread of our own.
func TestSoak(t *testing.T) {
	c := base()
	c.Count, c.Period, c.Device, c.CPU = *soakSignals, 50*time.Microsecond, "/dev/siglat", 0
	receivers := signalReceivers()
	if _, err := os.Stat(c.Device); err == nil {
		c.Source, c.TimerCPU, receivers = SourceKernel, 0, Receivers()
	}
	if *soakReceivers != "" {
		receivers = strings.Split(*soakReceivers, ",")
	}
	for _, name := range receivers {
		c.Receiver = name
		samples := uint64(0)
		res, err := Run(context.Background(), c, func(Effective) {}, func(b []Sample) { samples += uint64(len(b)) })
		n := res.Counts
		if err != nil || n.Sent+n.Refused != c.Count || n.Received+n.Lost != n.Sent || samples != n.Received-n.RingDrops || n.Duplicates > 0 || n.WrongCPU > 0 {
			t.Errorf("%s: %d samples, counts %+v, %v", name, samples, n, err)
		}
		// What os/signal has merged is lost, and nothing else.
		if name != "notify" && n.Received != n.Sent {
			t.Errorf("%s: %d of %d were lost", name, n.Lost, n.Sent)
		}
		t.Logf("%s, source %s: sent %d received %d lost %d refused %d, %d periods skipped", name, c.Source,
			n.Sent, n.Received, n.Lost, n.Refused, n.Overruns)
	}
}
