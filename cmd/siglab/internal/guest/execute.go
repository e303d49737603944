// SPDX-License-Identifier: GPL-2.0-only

package guest

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"siglat/cmd/siglab/internal/load"
	"siglat/cmd/siglab/internal/wire"
)

// execute runs the command and returns its exit status, 128+n for signal n.
// All processes are gone and all output is sent when it returns.
func execute(job wire.Job, send *wire.Sender) (int, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	stdout := outW
	if job.Quiet {
		stdout = null
	}
	if err := os.MkdirAll(job.Dir, 0o755); err != nil {
		return 0, err
	}
	loadPID, err := startLoad(job, []*os.File{null, null, errW})
	if err != nil {
		return 0, err
	}
	p, err := os.StartProcess(job.Args[0], job.Args, &os.ProcAttr{
		Dir: job.Dir, Env: job.Env, Files: []*os.File{null, stdout, errW},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, fmt.Errorf("start command: %w", err)
	}
	outW.Close()
	errW.Close()
	var wg sync.WaitGroup
	var sendErrs [2]error
	wg.Go(func() { _, sendErrs[0] = io.Copy(send.Writer(wire.Stdout), outR) })
	wg.Go(func() { _, sendErrs[1] = io.Copy(send.Writer(wire.Stderr), errR) })
	status, loadErr, err := reap(p.Pid, loadPID)
	if err != nil {
		return 0, err
	}
	killAll()
	wg.Wait()
	return status, errors.Join(loadErr, sendErrs[0], sendErrs[1])
}

// startLoad returns the load's process number, 0 if there is none.
func startLoad(job wire.Job, files []*os.File) (int, error) {
	if job.Load == nil {
		return 0, nil
	}
	p, err := job.Load.Start(os.ProcAttr{Dir: job.Dir, Env: job.Env, Files: files})
	if err != nil {
		return 0, err
	}
	time.Sleep(load.Lead)
	return p.Pid, nil
}

// reap waits for children, orphans among them, until pid has ended. A load
// that ends before ends pid, too, and is an error.
func reap(pid, loadPID int) (status int, loadErr, err error) {
	for {
		var ws unix.WaitStatus
		got, err := unix.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, nil, fmt.Errorf("wait for command: %w", err)
		}
		switch got {
		case pid:
			return exitStatus(ws), loadErr, nil
		case loadPID:
			loadErr = fmt.Errorf("the load ended before the run, with status %d", exitStatus(ws))
			_ = unix.Kill(pid, unix.SIGTERM)
		}
	}
}

func exitStatus(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// killAll ends what the command has left behind.
func killAll() {
	_ = unix.Kill(-1, unix.SIGKILL)
	for {
		_, err := unix.Wait4(-1, nil, 0, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// sendTree sends a folder's content as a tar stream.
func sendTree(send *wire.Sender, dir string) error {
	count := &counter{w: send.Writer(wire.Tar)}
	tw := tar.NewWriter(count)
	if err := tw.AddFS(os.DirFS(dir)); err != nil {
		return fmt.Errorf("send results: %w", err)
	}
	if err := tw.Close(); err != nil {
		return fmt.Errorf("send results: %w", err)
	}
	return send.Send(wire.TarEnd, []byte(strconv.FormatInt(count.n, 10)))
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
