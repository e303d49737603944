// SPDX-License-Identifier: GPL-2.0-only

package vm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"siglat/cmd/siglab/internal/wire"
)

func TestTrouble(t *testing.T) {
	for _, line := range []string{
		"[   12.3] Kernel panic - not syncing: Fatal exception",
		"[    2.0] BUG: kernel NULL pointer dereference, address: 0000000000000000",
		"[    2.0] Oops: Oops: 0002 [#1] PREEMPT SMP NOPTI",
		"[    2.0] general protection fault, probably for non-canonical address 0xdead: 0000 [#1] PREEMPT SMP",
		"[    2.0] WARNING: CPU: 1 PID: 99 at kernel/time/hrtimer.c:1300 hrtimer_start_range_ns+0x1/0x2",
		"[    2.0] WARNING: kernel/time/hrtimer.c:1300 at hrtimer_start_range_ns+0x1/0x2, CPU#0: a/9",
		"[    2.0] WARNING: possible circular locking dependency detected",
		"[   60.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
		"[   60.0] rcu: INFO: rcu_preempt self-detected stall on CPU",
		"[   60.0] rcu: rcu_preempt kthread starved for 5250 jiffies!",
		"[   60.0] watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [a:99]",
		"[  120.0] INFO: task a:99 blocked for more than 120 seconds.",
		"[    2.0] refcount_t: underflow; use-after-free.",
		"[    2.0] list_del corruption. prev->next should be ...",
		"[    2.0] kernel BUG at kernel/exit.c:1!",
		"[    2.0] BUG: KASAN: slab-use-after-free in siglat_expire+0x1/0x2 [siglat]",
		"[    2.0] BUG: sleeping function called from invalid context at kernel/locking/mutex.c:1",
		"[    2.0] [ BUG: Invalid wait context ]",
		"[    2.0] BUG kmalloc-64 (Tainted: G           O      ): Poison overwritten",
		"[    2.0] UBSAN: shift-out-of-bounds in siglat.c:1:2",
		"[    2.0] INFO: trying to register non-static key.",
		"[    2.0] WARNING: lock held when returning to user space!",
		"[    2.0] WARNING: held lock freed!",
		"[    2.0] turning off the locking correctness validator.",
		"[    2.0] ODEBUG: free active (active state 0) object: ffff8880 object type: hrtimer hint: siglat_expire+0x0/0x1",
		"[    2.0] kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
	} {
		if !trouble.MatchString(line) {
			t.Errorf("not noticed: %s", line)
		}
	}
	for _, line := range []string{
		"[    0.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on",
		"[    1.0] siglat: loading out-of-tree module taints kernel.",
		"[    1.0] RAS: Correctable Errors collector initialized.",
		"[    0.0] DEBUG: nothing",
		"[    3.0] sched: RT throttling activated",
		"[    3.0] kmemleak: Kernel memory leak detector initialized (mem pool available: 31000)",
		"[    3.0] Running RCU self tests",
		"[    3.0] rcu: Preemptible hierarchical RCU implementation.",
	} {
		if trouble.MatchString(line) {
			t.Errorf("false alarm: %s", line)
		}
	}
}

func TestConsoleKeepsWhatFollowsTrouble(t *testing.T) {
	var c console
	for _, piece := range []string{"one\r\ntw", "o\n\nBUG: bad\nthree\n", "fou"} {
		c.feed([]byte(piece))
	}
	if want := []string{"one", "two", "BUG: bad", "three"}; !slices.Equal(c.first, want) {
		t.Errorf("first: got %q, want %q", c.first, want)
	}
	if want := []string{"one", "two", "BUG: bad", "three", "fou"}; !slices.Equal(c.last(), want) {
		t.Errorf("last: got %q, want %q", c.last(), want)
	}
	c.feed([]byte(strings.Repeat("\nx", 100)))
	if len(c.lines) != keptLines || len(c.first) != keptLines {
		t.Errorf("%d and %d lines kept", len(c.lines), len(c.first))
	}
}

func TestVersion(t *testing.T) {
	v, err := parseVersion("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright")
	if err != nil || v != (Version{7, 2, "7.2.22"}) {
		t.Errorf("got %+v, %v", v, err)
	}
	if _, err := parseVersion("hello\n"); err == nil {
		t.Error("a text without a version was taken")
	}
	for _, test := range []struct {
		release, clock string
		major, cpus    int
		ok             bool
	}{
		{"6.1.0-57-amd64", Virtual, 7, 2, false},
		{"6.1-rt", Virtual, 9, 2, false},
		{"6.1", Virtual, 10, 2, true},
		{"6.1", Virtual, 7, 1, true},
		{"6.1", Real, 7, 2, true},
		{"5.10.0", Virtual, 7, 2, false},
		{"6.12-rt", Virtual, 7, 2, true},
		{"7.3.1", Virtual, 7, 2, true},
	} {
		err := Version{Major: test.major, Text: "x"}.CheckClock(test.release, test.clock, test.cpus)
		if (err == nil) != test.ok {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}

func TestArgs(t *testing.T) {
	m := Machine{Image: "i", Initramfs: "r", Console: "/a,b/console", Channel: "c", Clock: Virtual, CPUs: 2, MemoryMB: 512}
	args := strings.Join(m.Args(), " ")
	for _, want := range []string{"path=/a,,b/console", "-icount shift=0,sleep=off", "-no-reboot", "nokaslr", "-smp 2"} {
		if !strings.Contains(args, want) {
			t.Errorf("no %q in %s", want, args)
		}
	}
	if strings.Contains(args, "+rdrand") || strings.Contains(args, "+rdseed") {
		t.Error("the processor has a random number generator")
	}
	m.Sockets = true
	if args := strings.Join(m.Args(), " "); !strings.Contains(args, "-smp 2,sockets=2,cores=1,threads=1 ") {
		t.Errorf("no packages in %s", args)
	}
	m.Clock = Real
	if args := strings.Join(m.Args(), " "); strings.Contains(args, "icount") {
		t.Errorf("icount in real time: %s", args)
	}
}

// A follower gets the frames and console of a guest that is over.
func follow(t *testing.T, consoleText string, send func(*wire.Sender)) (*follower, error) {
	t.Helper()
	dir := t.TempDir()
	f := &follower{consolePath: filepath.Join(dir, "console"), channelPath: filepath.Join(dir, "channel")}
	if err := os.WriteFile(f.consolePath, []byte(consoleText), 0o600); err != nil {
		t.Fatal(err)
	}
	channel, err := os.Create(f.channelPath)
	if err != nil {
		t.Fatal(err)
	}
	defer channel.Close()
	send(wire.NewSender(channel))
	defer f.close()
	if _, err := f.readAll(); err != nil {
		return f, err
	}
	return f, f.verdict()
}

func TestVerdict(t *testing.T) {
	exit := func(s *wire.Sender) { _ = s.Send(wire.Exit, []byte("5")) }
	f, err := follow(t, "fine\n", exit)
	if err != nil || f.status != 5 {
		t.Errorf("clean end: status %d, %v", f.status, err)
	}
	var guest *GuestError
	if _, err := follow(t, "x\nBUG: y\n", exit); !errors.As(err, &guest) || guest.Lines[1] != "BUG: y" {
		t.Errorf("trouble and an exit: got %v", err)
	}
	if _, err := follow(t, "Run /init\n", func(*wire.Sender) {}); err == nil || !strings.Contains(err.Error(), "Run /init") {
		t.Errorf("no exit: got %v", err)
	}
	_, err = follow(t, "", func(s *wire.Sender) {
		_ = s.Send(wire.Tar, []byte("half"))
		exit(s)
	})
	if err == nil || !strings.Contains(err.Error(), "not whole") {
		t.Errorf("half a result: got %v", err)
	}
	_, err = follow(t, "", func(s *wire.Sender) { _ = s.Send(wire.Failed, []byte("load module: no")) })
	if err == nil || !strings.Contains(err.Error(), "guest: load module: no") {
		t.Errorf("failed: got %v", err)
	}
}
