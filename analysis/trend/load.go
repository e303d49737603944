// SPDX-License-Identifier: GPL-2.0-only

package trend

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"siglat/analysis/recording"
)

// Load reads the run.json of all runs below a folder, several at a time; the
// distributions stay on the disk. Runs that cannot be read, that were never
// finished or that say nothing of latencies are left out and named in left. The
// points come in the order of their paths. It fails where the folder itself
// cannot be read.
func Load(dir string) (points []Point, left []string, err error) {
	var dirs []string
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil && path == dir {
			return err
		}
		if err != nil { // a folder that may not be read
			left = append(left, err.Error())
			return nil
		}
		switch {
		case e.Name() == recording.RunFile:
			dirs = append(dirs, filepath.Dir(path))
		case e.Name() == recording.LogFile:
			if run, err := filepath.Glob(filepath.Join(escape(filepath.Dir(path)), recording.RunFile)); err != nil || len(run) == 0 {
				left = append(left, filepath.Dir(path)+": "+recording.RunFile+" is missing: the run goes on, or was killed")
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find runs: %w", err)
	}
	all, errs := make([]Point, len(dirs)), make([]error, len(dirs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				all[i], errs[i] = point(dirs[i])
			}
		})
	}
	for i := range dirs {
		next <- i
	}
	close(next)
	wg.Wait()
	for i := range dirs {
		if errs[i] != nil {
			left = append(left, errs[i].Error())
			continue
		}
		points = append(points, all[i])
	}
	return points, left, nil
}

// escape quotes what filepath.Glob takes for a pattern.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

func point(dir string) (Point, error) {
	run, err := recording.ReadRun(dir)
	if err != nil {
		return Point{}, err
	}
	if run.Import != nil {
		return Point{}, fmt.Errorf("read %s: imported from %s, which tells neither host nor time", dir, run.Import.File)
	}
	if run.Latency.Count == 0 {
		return Point{}, fmt.Errorf("read %s: the run has no latencies", dir)
	}
	p := Point{Key: Key{run.Host.Hostname, run.Configuration()}, Kernel: run.Host.Kernel, Start: run.Start,
		P50: run.Latency.P50, P99: run.Latency.P99, Max: run.Latency.Max,
		Count: run.Latency.Count, Lost: run.Counts.Lost, Path: dir}
	if run.Host.KernelBuild != "" && run.Host.PreemptRT {
		p.Kernel += " (PREEMPT_RT)"
	}
	return p, nil
}
