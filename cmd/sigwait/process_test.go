// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/analysis/recording"
)

// child returns a sigwait that measures with signals of its own; it is killed
// when it lasts absurdly long.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	// Under nohup a child would ignore it, too, but for a parent's handler.
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sigwait", append([]string{"--source", "user", "--period", "5ms"}, args...)...)
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

func TestSignalsEndARunWithItsResults(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		dir := filepath.Join(t.TempDir(), "run")
		args := []string{"-n", "100000", "-o", dir, "--samples"}
		if sig == unix.SIGHUP { // ends a run that is not recorded only
			args = args[:2]
		}
		cmd := child(t, args...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(out)
		first, _ := r.ReadString('\n')
		if err := cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
		rest, _ := io.ReadAll(r)
		printed := first + string(rest)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v: %s", sig, err, cmd.Stderr)
		}
		count := strings.Count(printed, "\n")
		if want := fmt.Sprintf("sigwait: warning: the run was ended early: %d sent\n", count); count == 0 || !strings.HasSuffix(fmt.Sprint(cmd.Stderr), want) {
			t.Errorf("%v: %d lines, said %q", sig, count, cmd.Stderr)
		}
		if sig == unix.SIGHUP {
			continue
		}
		rec, err := recording.Open(dir)
		if err != nil || rec.Complete || rec.Latency.Count != uint64(count) || rec.Counts.Received != uint64(count) {
			t.Errorf("%v: %d lines, recorded %+v, %v", sig, count, rec, err)
		}
		if samples, err := os.ReadFile(filepath.Join(dir, recording.SamplesFile)); err != nil || string(samples) != printed {
			t.Errorf("%v: samples and lines differ, %v", sig, err)
		}
	}
}

func TestReaderGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := child(t, "-n", "100000", "-o", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = bufio.NewReader(out).ReadString('\n')
	out.Close()
	if err := cmd.Wait(); err != nil || said(cmd) != "" {
		t.Errorf("%v, said %q", err, cmd.Stderr)
	}
	if rec, err := recording.Open(dir); err != nil || rec.Complete || rec.Latency.Count == 0 {
		t.Errorf("%+v, %v", rec, err)
	}
}

// said returns what the command wrote on standard error, without the lines
// about a machine too busy for the period of the test.
func said(cmd *exec.Cmd) string {
	var kept strings.Builder
	for line := range strings.Lines(fmt.Sprint(cmd.Stderr)) {
		if !strings.Contains(line, "skipped: the timer was late") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	cmd := child(t, "-n", "100000")
	cmd.Stdout = full
	err = cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 || said(cmd) != "sigwait: write standard output: no space left on device\n" {
		t.Errorf("%v, said %q", err, cmd.Stderr)
	}
}

// onTerminal starts cmd with a pseudo-terminal of its own as all of its
// standard streams and returns the other end.
func onTerminal(t *testing.T, cmd *exec.Cmd) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return master
}

func TestTerminal(t *testing.T) {
	cmd := child(t, "-n", "500")
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	master := onTerminal(t, cmd)
	defer master.Close()
	shown, _ := io.ReadAll(master) // EIO once the child has closed its end
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, shown)
	}
	for _, want := range []string{"best    worst", "%", "sent 500  received 500  lost 0  refused 0\r\n", "99.9%", "###"} {
		if !bytes.Contains(shown, []byte(want)) {
			t.Errorf("%q is not in %q", want, shown)
		}
	}
	if !regexp.MustCompile(`\n {5,6}\d+s `).Match(shown) { // a busy machine skips a second
		t.Errorf("no line of a second in %q", shown)
	}
	if bytes.Contains(shown, []byte("\x1b")) {
		t.Errorf("escape codes in %q", shown)
	}
}

func TestClosedTerminalDoesNotEndARecording(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := child(t, "-n", "400", "-o", dir)
	master := onTerminal(t, cmd)
	head := make([]byte, 1)
	if _, err := master.Read(head); err != nil { // the run has started
		t.Error(err)
	}
	master.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if rec, err := recording.Open(dir); err != nil || !rec.Complete || rec.Latency.Count != 400 {
		t.Errorf("%+v, %v", rec, err)
	}
}

// What starts a run in the background of a script ignores SIGINT for it.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	cmd := child(t)
	cmd.Args = []string{"sh", "-c", `trap "" INT; exec sigwait --source user --period 5ms -n 200`}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = sh
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	_, _ = r.ReadString('\n')
	if err := cmd.Process.Signal(unix.SIGINT); err != nil {
		t.Error(err)
	}
	rest, _ := io.ReadAll(r)
	if err := cmd.Wait(); err != nil || bytes.Count(rest, []byte("\n")) != 199 {
		t.Errorf("%d lines more, %v: %s", bytes.Count(rest, []byte("\n")), err, cmd.Stderr)
	}
}
