// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"fmt"

	"siglat/sigwait/internal/sys"
)

// trace registers probes, seldom as asked for wrongly.
func trace(t *thread) error {
	v := sys.Trace{Marks: 1 << t.rng.IntN(12)}
	v.CPUs[0] = pick[uint64](t, 1, 2, 3)
	if t.one(6) {
		switch t.rng.IntN(4) {
		case 0:
			v.Flags = t.rng.Uint32()
		case 1:
			v.Marks = t.rng.Uint32()
		case 2:
			v.CPUs[t.rng.IntN(len(v.CPUs))] = t.rng.Uint64()
		case 3:
			v.Padding[t.rng.IntN(len(v.Padding))] = 1
		}
	}
	return t.device().Trace(&v)
}

// marks reads them while they are written, from anywhere.
func marks(t *thread) error {
	v := sys.Marks{CPU: uint32(t.rng.IntN(3)), Next: pick(t, 0, t.rng.Uint32N(5000), t.rng.Uint32())}
	buf := make([]sys.Mark, 1+t.rng.IntN(200))
	n, err := t.device().Marks(&v, buf)
	if err != nil {
		return err
	}
	for i, m := range buf[:n] {
		if m.TimeNS < m.BeginNS || i > 0 && m.TimeNS < buf[i-1].TimeNS {
			return fmt.Errorf("mark %d of %d: %+v", i, n, m)
		}
	}
	return nil
}
