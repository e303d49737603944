// SPDX-License-Identifier: GPL-2.0-only

package comparison

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// A reference is testdata/reference.json: what scipy computes, see
// testdata/reference.py.
type reference struct {
	Cases []struct {
		Name    string
		A, B    [5]int64 // n, step, modulus, low, tail
		U, P    float64
		Figures []struct {
			Q        float64
			A, B     int64
			LowFrom  int64 `json:"low_from"`
			LowTo    int64 `json:"low_to"`
			HighFrom int64 `json:"high_from"`
			HighTo   int64 `json:"high_to"`
		}
	}
}

func rule(name string, r [5]int64) *recording.Recording {
	v := stored(r[0], r[1], r[2], r[3])
	for i := range v {
		if i%97 == 0 {
			v[i] += r[4]
		}
	}
	d := dist(v)
	rec := &recording.Recording{HasRun: true, Dist: map[string]*analysis.Distribution{recording.SegmentLatency: d}}
	rec.Name, rec.Latency = name, d.Summary()
	return rec
}

func TestReference(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref reference
	if err := json.Unmarshal(text, &ref); err != nil || len(ref.Cases) < 7 {
		t.Fatalf("%d cases, %v", len(ref.Cases), err)
	}
	shown := map[Verdict]int{}
	for _, c := range ref.Cases {
		p, err := Compare(rule("a", c.A), rule("b", c.B))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		shown[p.Verdict]++
		effect := 1 - c.U/float64(c.A[0]*c.B[0])
		if p.Rank.U != c.U || math.Abs(p.Rank.P-c.P) > 1e-9*c.P || math.Abs(p.Rank.Effect-effect) > 1e-15 {
			t.Errorf("%s: %+v, want U %v p %v effect %v", c.Name, *p.Rank, c.U, c.P, effect)
		}
		for i, f := range p.Figures() {
			w := c.Figures[i]
			// Values above 32767 ns are known within 1/16384.
			slack := max(w.A, w.B) / 16384 * 2
			if f.A < w.A || f.A > w.A+w.A/16384 || f.B < w.B || f.B > w.B+w.B/16384 {
				t.Errorf("%s: %s of %d and %d, want %d and %d", c.Name, f.Name, f.A, f.B, w.A, w.B)
			}
			if f.Of.Low < w.LowFrom-slack || f.Of.Low > w.LowTo+slack || f.Of.High < w.HighFrom-slack || f.Of.High > w.HighTo+slack {
				t.Errorf("%s: %s: difference from %d to %d, want from [%d, %d] to [%d, %d]", c.Name, f.Name, f.Of.Low, f.Of.High, w.LowFrom, w.LowTo, w.HighFrom, w.HighTo)
			}
		}
	}
	if shown[None] == 0 || shown[AFaster] == 0 || shown[BFaster] == 0 {
		t.Errorf("verdicts %v, want each", shown)
	}
}

// TestCoverage draws samples of which the difference of medians is known: the
// intervals hold it as often as they say.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const trials = 400
	want := math.Ln2 * (3000 - 2000)
	held := 0
	for range trials {
		a, b := analysis.NewDistribution(), analysis.NewDistribution()
		for range 300 {
			a.Record(5000 + int64(rng.ExpFloat64()*2000))
			b.Record(5000 + int64(rng.ExpFloat64()*3000))
		}
		if i := bootstrap(a, b, 0.5); float64(i.Low) <= want && want <= float64(i.High) {
			held++
		}
	}
	// 95 % of 400, four standard errors of a binomial on either side
	if held < 362 || held > 398 {
		t.Errorf("%d of %d intervals of 95 %% hold the difference", held, trials)
	}
}

func TestSmallP(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want string
	}{{0, "p < 1e-300"}, {1e-301, "p < 1e-300"}, {1e-299, "p = 1e-299"}, {0.0421, "p = 0.042"}, {1, "p = 1"}} {
		if w := (&MannWhitney{P: c.p}); w.PText() != c.want {
			t.Errorf("%g: %s, want %s", c.p, w.PText(), c.want)
		}
	}
	// Medians and ranks may disagree: the sentence does not turn the effect round.
	p := &Pair{A: rule("a", [5]int64{1, 1, 1, 1, 0}), B: rule("b", [5]int64{1, 1, 1, 2, 0}), Verdict: AFaster, Rank: &MannWhitney{Effect: 0.4}}
	p.Median = Difference{A: 1, B: 2, Of: &Interval{1, 1}}
	if s, want := sentence(p), "a is faster than b: median 1 ns against 2 ns, 1 ns less (50 %), 95 % sure of 1 to 1 ns; of two values, one of each, its own is the lower in only 40.0 % of cases."; s != want {
		t.Errorf("%s; want %s", s, want)
	}
}
