// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// jitterdebugger's CSV: thread; s.ns;value, in µs. Its samples.raw is in raw.go.

// maxThreads bounds the number of a thread, so that a wrong file is noticed.
const maxThreads = 1 << 16

var rawCSV = regexp.MustCompile(`^(\d+);(\d+)\.(\d{9});(\d+)$`)

func sniffRawCSV(head []byte) bool { return rawCSV.MatchString(firstLine(head)) }

func readRawCSV(s *source) ([]*recording.Recording, error) {
	of := map[int]*analysis.Distribution{}
	unit := s.unitOr(1000)
	err := s.eachLine(func(line string, whole bool) error {
		line = strings.TrimSpace(line)
		m := rawCSV.FindStringSubmatch(line)
		if m == nil || !whole {
			return fmt.Errorf("%s is no whole line of thread;time;value", quoted(line))
		}
		thread, err := strconv.Atoi(m[1])
		if err != nil || thread >= maxThreads {
			return fmt.Errorf("thread %.40s is out of range", m[1])
		}
		v, err := scaled(m[4], unit)
		if err != nil {
			return err
		}
		distributionOf(of, thread).Record(v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.sampled("jitterdebugger", of)
}
