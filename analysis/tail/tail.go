// SPDX-License-Identifier: GPL-2.0-only

// Package tail estimates values beyond the largest one seen, by peaks over
// threshold.
package tail

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"

	"siglat/analysis"
)

// A Fit is a generalised Pareto distribution of the excesses over a
// threshold: P(X-u > y | X > u) = (1 + Shape*y/Scale)^(-1/Shape) (Coles: An
// Introduction to Statistical Modeling of Extreme Values, 4.2).
type Fit struct {
	Threshold int64   // ns
	Peaks     uint64  // values above it
	Count     uint64  // all values
	Shape     float64 // below 0: the tail has an end
	Scale     float64 // ns
	PValue    float64 // of the chi-squared test of the fit
	shapeErr  float64
	scaleErr  float64
	cov       float64
}

// An Estimate is the value that one of N values exceeds on average, with its
// 95 % interval, in ns.
type Estimate struct {
	N         float64
	Value     float64
	Low, High float64
}

const (
	minPeaks  = 100
	minP      = 0.05
	maxShape  = 0.5
	maxGroups = 20
)

// Refusals, wrapped with the figures.
var (
	ErrFew  = errors.New("too few values above the threshold")
	ErrPoor = errors.New("the tail does not fit a generalised Pareto distribution")
)

// Of fits the highest tenth, at most 10000 values, of d.
func Of(d *analysis.Distribution) (*Fit, error) {
	n := d.Count()
	want := min(n/10, 10000)
	u := d.Ranked(max(n-want, 1))[0]
	f := &Fit{Threshold: u, Count: n}
	var peaks []peak
	for b := range d.Buckets() {
		if b.Low > u {
			peaks = append(peaks, peak{float64(b.Low-u) + float64(b.High-b.Low)/2, float64(b.Count)})
			f.Peaks += b.Count
		}
	}
	if f.Peaks < minPeaks || len(peaks) < 10 {
		return nil, fmt.Errorf("%w: %d of %d different values above %d ns, %d and 10 are needed", ErrFew, f.Peaks, len(peaks), u, minPeaks)
	}
	if err := f.maximise(peaks); err != nil {
		return nil, err
	}
	f.PValue = f.test(peaks)
	if f.PValue < minP {
		return nil, fmt.Errorf("%w: p = %.2g in a chi-squared test of %d values above %d ns", ErrPoor, f.PValue, f.Peaks, u)
	}
	if f.Shape > maxShape {
		return nil, fmt.Errorf("%w: shape %.2f, its variance is infinite", ErrPoor, f.Shape)
	}
	return f, nil
}

type peak struct{ excess, n float64 }

// maximise finds shape and scale of maximum likelihood, and their errors from
// the expected information (Coles 4.3.2): covariance (1+xi)/n * [1+xi, -s;
// -s, 2s^2].
func (f *Fit) maximise(peaks []peak) error {
	n, sum := 0.0, 0.0
	for _, p := range peaks {
		n += p.n
		sum += p.n * p.excess
	}
	mean := sum / n
	loss := func(x []float64) float64 {
		shape, scale := x[0], math.Exp(x[1])
		l := n * x[1]
		for _, p := range peaks {
			y := p.excess / mean / scale
			if math.Abs(shape) < 1e-9 {
				l += p.n * y
				continue
			}
			if 1+shape*y <= 0 {
				return math.Inf(1)
			}
			l += p.n * (1 + 1/shape) * math.Log1p(shape*y)
		}
		return l
	}
	r, err := optimize.Minimize(optimize.Problem{Func: loss}, []float64{0.01, 0}, &optimize.Settings{MajorIterations: 2000}, &optimize.NelderMead{})
	if err != nil || math.IsNaN(r.F) || math.IsInf(r.F, 0) {
		return fmt.Errorf("%w: the likelihood has no maximum", ErrPoor)
	}
	f.Shape, f.Scale = r.X[0], math.Exp(r.X[1])*mean
	if f.Shape <= -0.5 {
		return fmt.Errorf("%w: shape %.2f, errors are known above -0.5 only", ErrPoor, f.Shape)
	}
	k := (1 + f.Shape) / n
	f.shapeErr = math.Sqrt(k * (1 + f.Shape))
	f.scaleErr = f.Scale * math.Sqrt(2*k)
	f.cov = -k * f.Scale
	return nil
}

// survival is the probability that an excess is larger than y.
func (f *Fit) survival(y float64) float64 {
	if math.Abs(f.Shape) < 1e-9 {
		return math.Exp(-y / f.Scale)
	}
	return math.Pow(math.Max(0, 1+f.Shape*y/f.Scale), -1/f.Shape)
}

// test is Pearson's, in groups of near equal count between classes.
func (f *Fit) test(peaks []peak) float64 {
	n := float64(f.Peaks)
	size := n / min(maxGroups, n/10)
	chi, groups, got, above := 0.0, 0, 0.0, 1.0
	for i, p := range peaks {
		got += p.n
		if last := i == len(peaks)-1; got >= size || last {
			next := 0.0
			if !last {
				next = f.survival((p.excess + peaks[i+1].excess) / 2)
			}
			if expected := n * (above - next); expected > 0 {
				chi += (got - expected) * (got - expected) / expected
			} else {
				return 0
			}
			groups, got, above = groups+1, 0, next
		}
	}
	if groups < 4 {
		return 0
	}
	return distuv.ChiSquared{K: float64(groups - 3)}.Survival(chi)
}

// Return estimates the value that one of n values exceeds, by the delta
// method (Coles 4.3.3). N must be more than Count/Peaks.
func (f *Fit) Return(n float64) Estimate {
	m := n * float64(f.Peaks) / float64(f.Count)
	lm := math.Log(m)
	var y, dShape, dScale float64
	if math.Abs(f.Shape) < 1e-6 {
		y, dScale, dShape = f.Scale*lm, lm, f.Scale*lm*lm/2
	} else {
		pow := math.Pow(m, f.Shape)
		y = f.Scale / f.Shape * (pow - 1)
		dScale = (pow - 1) / f.Shape
		dShape = -f.Scale/(f.Shape*f.Shape)*(pow-1) + f.Scale/f.Shape*pow*lm
	}
	se := math.Sqrt(dShape*dShape*f.shapeErr*f.shapeErr + dScale*dScale*f.scaleErr*f.scaleErr + 2*dShape*dScale*f.cov)
	v := float64(f.Threshold) + y
	return Estimate{N: n, Value: v, Low: v - 1.959964*se, High: v + 1.959964*se}
}
