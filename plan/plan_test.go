package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/presets"
)

var now = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// lead is how many seconds a burst borrows.
func lead(n Need, l bits.Layout) float64 {
	return math.Ceil(n.Burst/float64(l.MaxSequence()+1)) * l.Unit().Seconds()
}

// holds says whether a layout fits, by the rules of Layouts from the widths alone. slack is a little above 1, or below,
// where rounding may decide otherwise.
func holds(n Need, l bits.Layout, slack float64) bool {
	unit, lead := l.Unit().Seconds(), lead(n, l)
	perSecond := float64(l.MaxSequence()+1) / unit
	onHold := math.Ceil(slack * float64(n.Workers) * n.RestartsPerDay * n.Hold.Hours() / 24)
	return perSecond >= n.Rate && lead <= n.MaxLead.Seconds() &&
		(n.Burst == 0 || slack*lead*perSecond <= meanYear.Seconds()*(perSecond-n.Rate)) &&
		l.TimeBits()+l.WorkerBits()+l.SequenceBits() <= n.limit() &&
		float64(l.MaxWorkerID()+1) >= float64(n.Workers)+onHold &&
		!l.Epoch().After(n.From) &&
		float64(l.MaxTick())*unit >= slack*(n.From.Sub(l.Epoch()).Seconds()+n.Years*meanYear.Seconds()+lead)
}

const close = 1e-9

func drawNeed(t *rapid.T) Need {
	scaled := func(what string, most float64) float64 {
		v := math.Pow(10, rapid.Float64Range(-2, most).Draw(t, what))
		// The edges are at powers of two.
		return rapid.SampledFrom([]float64{0, v, math.Ceil(v), math.Exp2(math.Floor(math.Log2(v)))}).Draw(t, "as")
	}
	n := Need{
		Rate: scaled("rate", 9), Burst: scaled("burst", 12), Workers: max(1, int64(scaled("workers", 8))),
		RestartsPerDay: scaled("restarts", 3), Years: max(0.01, min(250, scaled("years", 2.4))),
		JSSafe: rapid.Bool().Draw(t, "js"),
		From:   now.Add(time.Duration(rapid.Int64Range(0, int64(10*meanYear)).Draw(t, "from"))),
	}
	if rapid.Bool().Draw(t, "bounds") {
		span := rapid.Int64Range(1, int64(50*meanYear))
		n.MaxLead, n.Hold = time.Duration(span.Draw(t, "lead"))/50, time.Duration(span.Draw(t, "hold"))/50
		n.Epoch = now.Add(-time.Duration(span.Draw(t, "age")))
		n.From = n.Epoch.Add(time.Duration(span.Draw(t, "from the epoch")))
	}
	return n
}

// Each layout holds and is as it is said to be; none is refused that a search through all widths finds.
func TestLayouts(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		asked := drawNeed(t)
		n := must(asked.complete(now))
		options, err := layouts(asked, now)
		offered := map[time.Duration]bool{} // enough disposable IDs, by unit
		for i, o := range options {
			l := o.Layout
			offered[l.Unit()] = offered[l.Unit()] || o.Disposable
			require.False(t, slices.ContainsFunc(options[:i], func(o Option) bool { return o.Layout == l }), "twice")
			require.True(t, holds(n, l, 1-close), "%+v does not hold for %+v", o, n)
			if least, _ := n.least(l.Unit()); o.Name == "" {
				require.True(t, l.Epoch().Equal(n.Epoch))
				require.Equal(t, n.limit(), l.TimeBits()+l.WorkerBits()+l.SequenceBits(), "all the bits are in use")
				require.True(t, o.WorkerIDs >= 2*n.Workers || least.sum() == n.limit(), "%v can be replaced", o)
			} else {
				require.Equal(t, bits.MustParseLayout(o.Name), l)
			}

			require.InEpsilon(t, float64(l.MaxSequence()+1), o.Sustained*l.Unit().Seconds(), close)
			require.InDelta(t, lead(n, l), o.Lead.Seconds(), 1e-6)
			// The clock gains what Rate does not draw.
			require.InDelta(t, lead(n, l)*o.Sustained, o.GiveBack.Seconds()*(o.Sustained-n.Rate),
				1+2*close*(n.Burst+o.Sustained))
			require.Equal(t, []any{l.MaxWorkerID() + 1, l.Expires()}, []any{o.WorkerIDs, o.Full})
			// Each first start and each restart takes a disposable ID, 0 is none; of leased ones each is on hold once
			// per Hold that is not at work.
			left, perDay := o.WorkerIDs-1-n.Workers, float64(n.Workers)*n.RestartsPerDay
			require.Equal(t, max(0, left), o.DisposableRestarts)
			days := o.Full.Sub(n.From).Hours() / 24
			if left < 0 {
				days = 0
			} else if perDay > 0 {
				days = min(days, float64(left)/perDay)
			}
			require.InDelta(t, days, o.DisposableDays, close*(days+1))
			if spent := perDay * n.Years * meanYear.Hours() / 24; math.Abs(spent-float64(left)) > 1+close*spent {
				require.Equal(t, spent < float64(left), o.Disposable)
			}
			require.InEpsilon(t, 1+float64(o.WorkerIDs-n.Workers), 1+o.LeasedRestartsPerDay*n.Hold.Hours()/24, close)
		}
		for _, unit := range []time.Duration{time.Second, time.Millisecond,
			time.Millisecond * rapid.SampledFrom(planUnits).Draw(t, "unit")} {
			for tb := 1; tb <= 50; tb++ {
				for sequence := range n.limit() - tb + 1 {
					shape := bits.Config{TimeBits: tb, SequenceBits: sequence, Epoch: n.Epoch, Unit: unit,
						WorkerBits: n.limit() - tb - sequence} // where fewer hold, so do all that are left
					if l := bits.MustLayout(shape); holds(n, l, 1+close) {
						require.NoError(t, err, "%v holds for %+v", l, n)
						require.True(t, offered[unit] || unit != time.Second && unit != time.Millisecond ||
							float64(l.MaxWorkerID()) < n.starts()*(1+close)+1, "%v has disposable IDs for %+v", l, n)
					}
				}
			}
		}
		if err != nil {
			refused++
			saysWhatToGiveUp(t, n, err)
		}
	})
	require.Positive(t, refused)
}

// saysWhatToGiveUp: each thing to give up is enough alone, and what one number lowered to its least could cure is
// among them.
func saysWhatToGiveUp(t *rapid.T, n Need, err error) {
	var misfit *NoFitError
	require.ErrorAs(t, err, &misfit)
	require.ErrorIs(t, err, uid.ErrConfig)
	sum := misfit.TimeBits + misfit.WorkerBits + misfit.SequenceBits
	if require.Equal(t, n.limit(), misfit.Limit); misfit.Unit == 0 {
		require.ErrorContains(t, err, "no sequence is wide enough")
	} else {
		require.Greater(t, sum, misfit.Limit)
		require.ErrorContains(t, err, fmt.Sprintf("%d in all of %d", sum, misfit.Limit))
	}
	cures := 0
	for _, change := range []func(n *Need, to Need){
		func(n *Need, to Need) { n.Rate = to.Rate }, func(n *Need, to Need) { n.Burst = to.Burst },
		func(n *Need, to Need) { n.Workers = to.Workers }, func(n *Need, to Need) { n.Years = to.Years },
		func(n *Need, to Need) { n.RestartsPerDay = to.RestartsPerDay },
		func(n *Need, to Need) { n.JSSafe = to.JSSafe },
	} {
		least := n
		change(&least, Need{Rate: min(n.Rate, 0.001), Workers: 1, Years: min(n.Years, 0.001)})
		offered := slices.ContainsFunc(misfit.GiveUp, func(c Change) bool {
			only := n
			change(&only, c.Need)
			return only == c.Need && c.Need != n
		})
		require.True(t, offered || !least.fits(), "%v cures %v", least, misfit)
		if offered {
			cures++
		}
	}
	require.Len(t, misfit.GiveUp, cures)
	for _, c := range misfit.GiveUp {
		require.ErrorContains(t, err, c.Text)
		require.NotEmpty(t, must(layouts(c.Need, now)), c.Text)
		if again := c.Need; again.Workers < n.Workers {
			again.Workers++
			require.False(t, again.fits(), "%s, but one more fits", c.Text)
		}
	}
}

func TestLayoutsRefuseBadNumbers(t *testing.T) {
	ok := Need{Rate: 1000, Burst: 1000, Workers: 10, RestartsPerDay: 1, Years: 1}
	must(layouts(ok, now))
	must(Layouts(ok))
	for text, change := range map[string]func(*Need){
		"rate -1":                func(n *Need) { n.Rate = -1 },
		"rate NaN":               func(n *Need) { n.Rate = math.NaN() },
		"rate 1.1e+12":           func(n *Need) { n.Rate = 1.1e12 },
		"burst -0.5":             func(n *Need) { n.Burst = -0.5 },
		"burst 1.1e+15":          func(n *Need) { n.Burst = 1.1e15 },
		"workers -1":             func(n *Need) { n.Workers = -1 },
		"workers 9.2":            func(n *Need) { n.Workers = math.MaxInt64 },
		"restarts per day -1":    func(n *Need) { n.RestartsPerDay = -1 },
		"restarts per day 1.1e+": func(n *Need) { n.RestartsPerDay = 1.1e6 },
		"years 0":                func(n *Need) { n.Years = 0 },
		"years 251":              func(n *Need) { n.Years = 251 },
		"a lead of -1ns":         func(n *Need) { n.MaxLead = -1 },
		"a hold of -1ns":         func(n *Need) { n.Hold = -1 },
		"epoch 1969-12-31T23:59:59Z is not within 1970 and the present": func(n *Need) { n.Epoch = time.Unix(-1, 0) },

		"epoch 2026-02-02T12:00:00Z is not within 1970 and the present, 2026": func(n *Need) { n.Epoch = now.Add(day) },

		"the years begin at 2025-12-31": func(n *Need) { n.From = bits.Default().Epoch().Add(-1) },
		"the years begin at 10000":      func(n *Need) { n.From = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		n := ok
		change(&n)
		_, err := layouts(n, now)
		logtest.Error(t, err, uid.ErrConfig, text)
		require.NotErrorAs(t, err, new(*NoFitError))
	}
	// The largest that may be asked for, with 1e26 IDs on hold.
	most := Need{Rate: 1e12, Burst: 1e15, Workers: 1e15, RestartsPerDay: 1e6, Years: 250, Hold: math.MaxInt64}
	_, err := layouts(most, now)
	require.ErrorContains(t, err, "lower several")
	_, err = layouts(Need{Workers: 1000, RestartsPerDay: 1e6, Years: 1, Hold: math.MaxInt64}, now)
	require.ErrorContains(t, err, "at most 1280 restarts a day per worker")
}

func TestExamples(t *testing.T) {
	// A modest service gets the default first, and no layout of others, which are there to be read.
	options := must(layouts(Need{Rate: 1000, Burst: 1e5, Workers: 10, RestartsPerDay: 2, Years: 5}, now))
	require.Equal(t, "default", options[0].Name)
	require.True(t, options[0].Disposable)
	for _, p := range presets.Layouts() {
		offered := slices.ContainsFunc(options, func(o Option) bool { return o.Name == p.Name })
		require.False(t, p.Foreign && offered, p.Name)
	}

	fits := func(n Need) bool {
		_, ok := must(n.complete(now)).judge(bits.Default())
		return ok
	}
	// 8,192 UIDs a second are what 13 bits of sequence sustain, and not one more.
	require.True(t, fits(Need{Rate: 8192, Workers: 1, Years: 1}))
	require.False(t, fits(Need{Rate: 8192.001, Workers: 1, Years: 1}))
	// The last burst has to fit before the end: 13 s of lead.
	year := Need{Burst: 1e5, Workers: 1, Years: 1, From: bits.Default().Expires().Add(-meanYear - 13*time.Second)}
	require.True(t, fits(year))
	year.From = year.From.Add(1)
	require.False(t, fits(year))
	// A nanosecond more than the last tick of 28 bits takes a 29th.
	for more, want := range map[time.Duration]int{0: 28, 1: 29} {
		n := must(Need{Workers: 1, Years: 1, From: bits.Default().Expires().Add(more - meanYear)}.complete(now))
		w, _ := n.least(time.Second)
		require.Equal(t, want, w[0])
	}
	// What is lowered is rounded down, to three digits.
	for i := range 2000 {
		limit := float64(i) / 10
		got := lower(1e5, 3, func(v float64) bool { return v < limit })
		require.True(t, i == 0 || got < limit && got >= limit*0.989, "%v", limit)
		require.Equal(t, fmt.Sprintf("%.3g", got), fmt.Sprint(got))
	}
	// Who does not say how many workers there are gets no layout for one or two. Who says one does.
	for rate, want := range map[float64]int64{5e6: 2, 1e7: 1} { // with and without a bit to spare
		for _, o := range must(layouts(Need{Rate: rate, Years: 10}, now)) {
			require.GreaterOrEqual(t, o.WorkerIDs, int64(16), "%v for %v UIDs a second", o.Layout, rate)
		}
		_, err := layouts(Need{Rate: rate, Years: 10, JSSafe: true}, now)
		require.Regexp(t, "; at most [24] workers; ", err.Error())
		require.Equal(t, want, must(layouts(Need{Rate: rate, Years: 10, JSSafe: true, Workers: 1}, now))[0].WorkerIDs)
	}
}

// FuzzLayouts asks for anything, and holds the layouts that come against what was asked for.
func FuzzLayouts(f *testing.F) {
	f.Add(1e5, 1e7, int64(200), 2.0, 30.0, false, int64(0), int64(0))
	f.Add(-1.0, 1e300, int64(-1), 1e7, 1e-300, true, int64(-1), int64(-1))
	f.Fuzz(func(t *testing.T, rate, burst float64, workers int64, restarts, years float64, js bool, lead, hold int64) {
		need := Need{Rate: rate, Burst: burst, Workers: workers, RestartsPerDay: restarts, Years: years, JSSafe: js,
			MaxLead: time.Duration(lead), Hold: time.Duration(hold)}
		options, err := layouts(need, now)
		if err != nil {
			require.ErrorIs(t, err, uid.ErrConfig)
		}
		for _, o := range options {
			require.True(t, holds(must(need.complete(now)), o.Layout, 1-close), "%+v does not hold for %+v", o, need)
		}
	})
}
