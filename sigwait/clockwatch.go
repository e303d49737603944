// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// A clockWatch notices steps of CLOCK_REALTIME and times in which the machine
// was suspended. It asks the kernel, and only at the end of a run: a timer
// with TFD_TIMER_CANCEL_ON_SET remembers that the clock was set,
// timerfd_create(2), and CLOCK_BOOTTIME alone goes on during a suspend.
type clockWatch struct {
	fd        int
	suspended time.Duration // before the start, at most
}

func watchClock() (*clockWatch, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch the clock: timerfd_create: %w", err)
	}
	w := &clockWatch{fd: fd}
	_, w.suspended, err = suspended()
	if err == nil {
		never := &unix.ItimerSpec{Value: unix.NsecToTimespec(math.MaxInt64)}
		err = unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, never, nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watch the clock: %w", err), unix.Close(fd))
	}
	return w, nil
}

// end stops watching and returns warnings for stamps of a clock.
func (w *clockWatch) end(stamps Clock) (warnings []string) {
	var expirations [8]byte
	_, err := unix.Read(w.fd, expirations[:])
	_ = unix.Close(w.fd)
	if now, _, serr := suspended(); serr == nil && now-w.suspended > time.Millisecond {
		warnings = append(warnings, fmt.Sprintf("the machine was suspended for %v during the run", (now-w.suspended).Round(time.Millisecond)))
	}
	if errors.Is(err, unix.ECANCELED) && stamps == ClockRealtime {
		warnings = append(warnings, "CLOCK_REALTIME was set during the run: latencies of that moment contain the step (use --clock monotonic)")
	}
	return warnings
}

// suspended returns how long the machine has been suspended since its boot:
// at least low and at most high, since time passes between two readings.
func suspended() (low, high time.Duration, err error) {
	var before, boot, after unix.Timespec
	for _, read := range []struct {
		clock int32
		to    *unix.Timespec
	}{{unix.CLOCK_MONOTONIC, &before}, {unix.CLOCK_BOOTTIME, &boot}, {unix.CLOCK_MONOTONIC, &after}} {
		if err := unix.ClockGettime(read.clock, read.to); err != nil {
			return 0, 0, err
		}
	}
	return time.Duration(boot.Nano() - after.Nano()), time.Duration(boot.Nano() - before.Nano()), nil
}
