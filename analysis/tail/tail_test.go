// SPDX-License-Identifier: GPL-2.0-only

package tail

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"siglat/analysis"
)

// pareto returns n values of a generalised Pareto distribution above 5000.
func pareto(shape, scale float64, n int) *analysis.Distribution {
	rng := rand.New(rand.NewPCG(1, 2))
	d := analysis.NewDistribution()
	for range n {
		u := 1 - rng.Float64()
		y := -scale * math.Log(u)
		if shape != 0 {
			y = scale / shape * (math.Pow(u, -shape) - 1)
		}
		d.Record(5000 + int64(y))
	}
	return d
}

func TestKnownTails(t *testing.T) {
	for _, shape := range []float64{-0.2, 0, 0.2} {
		f, err := Of(pareto(shape, 2000, 200_000))
		if err != nil {
			t.Errorf("shape %v: %v", shape, err)
			continue
		}
		if math.Abs(f.Shape-shape) > 4*f.shapeErr {
			t.Errorf("shape %v: %v +- %v", shape, f.Shape, f.shapeErr)
		}
		want := 5000 + 2000*math.Log(1e7)
		if shape != 0 {
			want = 5000 + 2000/shape*(math.Pow(1e7, shape)-1)
		}
		if e := f.Return(1e7); math.Abs(e.Value-want) > 2*(e.High-e.Value) || e.Low >= e.High {
			t.Errorf("shape %v: one in 1e7 above %v (%v to %v), want %v", shape, e.Value, e.Low, e.High, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	if _, err := Of(pareto(0, 2000, 500)); !errors.Is(err, ErrFew) {
		t.Errorf("500 values: %v", err)
	}
	two := pareto(0, 2000, 100_000)
	two.RecordN(1_000_000, 500)
	two.RecordN(1_000_100, 600)
	if _, err := Of(two); !errors.Is(err, ErrPoor) {
		t.Errorf("a second hump far out: %v", err)
	}
	if _, err := Of(analysis.NewDistribution()); !errors.Is(err, ErrFew) {
		t.Errorf("no values: %v", err)
	}
}
