package plan

import (
	"errors"
	"fmt"
	"math"
	"math/big"
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

// The rules by which a layout holds, written once more: in exact numbers, from the
// widths alone.

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func ratOf(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

func pow2(n int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))
}

func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

func ceil(a *big.Rat) *big.Rat {
	n := new(big.Int).Add(a.Num(), new(big.Int).Sub(a.Denom(), big.NewInt(1)))
	return new(big.Rat).SetInt(n.Div(n, a.Denom()))
}

var second = ratOf(int64(time.Second))

// Each rule is asked with a strictness: 1 for the rule itself; a little more or
// less where floating point may have decided otherwise.

const close = 1e-9

var (
	strict  = rat(1 + close)
	lenient = rat(1 - close)
)

// sequenceHolds judges the width of the sequence, and returns the lead of a burst
// in nanoseconds.
func sequenceHolds(n Need, s int, unit time.Duration, strictness *big.Rat) (lead *big.Rat, ok bool) {
	perSecond := quo(mul(pow2(s), second), ratOf(int64(unit)))
	lead = mul(ceil(quo(rat(n.Burst), pow2(s))), ratOf(int64(unit)))
	spare := sub(perSecond, rat(n.Rate))
	if n.Burst == 0 {
		return lead, spare.Sign() >= 0
	}
	return lead, spare.Sign() > 0 &&
		ratOf(int64(n.MaxLead)).Cmp(lead) >= 0 &&
		ratOf(int64(meanYear)).Cmp(mul(strictness, quo(mul(lead, perSecond), spare))) >= 0
}

// workersNeeded is how many leased worker IDs there have to be.
func workersNeeded(n Need, strictness *big.Rat) *big.Rat {
	onHold := quo(mul(mul(ratOf(n.Workers), rat(n.RestartsPerDay)), ratOf(int64(n.Hold))), ratOf(int64(day)))
	return add(ratOf(n.Workers), ceil(mul(strictness, onHold)))
}

// lastTick and timeNeeded are when the last tick begins, and when it has to begin
// at the earliest, in nanoseconds since the epoch.
func lastTick(t int, unit time.Duration) *big.Rat {
	return mul(sub(pow2(t), ratOf(1)), ratOf(int64(unit)))
}

func timeNeeded(n Need, epoch time.Time, lead, strictness *big.Rat) *big.Rat {
	begin := new(big.Rat).SetInt(minus(nanosecond(n.From), nanosecond(epoch)))
	return mul(strictness, add(add(begin, mul(rat(n.Years), ratOf(int64(meanYear)))), lead))
}

func bruteHolds(n Need, l bits.Layout, strictness *big.Rat) bool {
	lead, ok := sequenceHolds(n, l.SequenceBits(), l.Unit(), strictness)
	width := l.TimeBits() + l.WorkerBits() + l.SequenceBits()
	return ok && width <= 63 && (width <= 53 || !n.JSSafe) &&
		pow2(l.WorkerBits()).Cmp(workersNeeded(n, strictness)) >= 0 &&
		!l.Epoch().After(n.From) &&
		lastTick(l.TimeBits(), l.Unit()).Cmp(timeNeeded(n, l.Epoch(), lead, strictness)) >= 0
}

func drawNeed(t *rapid.T) Need {
	scaled := func(what string, most float64) float64 {
		if rapid.IntRange(0, 5).Draw(t, "no "+what) == 0 {
			return 0
		}
		v := math.Pow(10, rapid.Float64Range(-2, most).Draw(t, what))
		switch rapid.IntRange(0, 2).Draw(t, what+" kind") {
		case 0:
			return math.Ceil(v)
		case 1:
			return math.Exp2(math.Floor(math.Log2(v))) // the edges are at powers of two
		}
		return v
	}
	n := Need{
		Rate:           min(1e12, scaled("rate", 9)),
		Burst:          scaled("burst", 12),
		Workers:        max(1, int64(scaled("workers", 8))),
		RestartsPerDay: scaled("restarts", 3),
		Years:          min(250, scaled("years", 2.4)),
		JSSafe:         rapid.Bool().Draw(t, "js"),
		From:           now.Add(time.Duration(rapid.Int64Range(0, int64(10*meanYear)).Draw(t, "from"))),
	}
	if n.Years == 0 {
		n.Years = 1
	}
	if rapid.Bool().Draw(t, "bounds") {
		n.MaxLead = time.Duration(rapid.Int64Range(1, int64(meanYear)).Draw(t, "max lead"))
		n.Hold = time.Duration(rapid.Int64Range(1, int64(meanYear)).Draw(t, "hold"))
		n.Epoch = now.Add(-time.Duration(rapid.Int64Range(0, int64(50*meanYear)).Draw(t, "age")))
		n.From = n.Epoch.Add(time.Duration(rapid.Int64Range(0, int64(60*meanYear)).Draw(t, "from the epoch")))
	}
	return n
}

func TestLayoutsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := drawNeed(t)
		n := must(asked.complete(now))
		options, err := layouts(asked, now)
		if err != nil {
			require.Empty(t, options)
			return
		}
		require.NotEmpty(t, options)
		years := mul(rat(n.Years), ratOf(int64(meanYear)))
		seen := map[bits.Layout]bool{}
		for _, o := range options {
			l := o.Layout
			require.False(t, seen[l], "twice: %v", o)
			seen[l] = true
			require.True(t, bruteHolds(n, l, lenient), "%+v does not hold for %+v", o, n)
			if o.Name == "" {
				require.True(t, l.Epoch().Equal(n.Epoch))
				require.Equal(t, n.limit(), l.TimeBits()+l.WorkerBits()+l.SequenceBits(), "all the bits are in use")
				least, _ := n.least(l.Unit())
				require.True(t, o.WorkerIDs >= 2*n.Workers || least.sum() == n.limit(), "%v can be replaced", o)
			} else {
				require.Equal(t, must(bits.ParseLayout(o.Name)), l)
			}

			// What the option says, from what it means.
			require.Equal(t, l.MaxWorkerID()+1, o.WorkerIDs)
			require.Equal(t, l.Expires(), o.Full)
			last, _ := l.Compose(l.MaxTick(), l.MaxWorkerID(), l.MaxSequence())
			require.True(t, !n.JSSafe || last <= 1<<53-1)
			perSecond := rat(o.Sustained)
			require.Zero(t, mul(perSecond, ratOf(int64(l.Unit()))).Cmp(mul(ratOf(l.MaxSequence()+1), second)))
			// A burst fits into the lead, and into no tick less.
			ticks := int64(o.Lead / l.Unit())
			require.Zero(t, o.Lead%l.Unit())
			have := func(ticks int64) *big.Rat { return mul(ratOf(ticks), ratOf(l.MaxSequence()+1)) }
			require.GreaterOrEqual(t, have(ticks).Cmp(rat(n.Burst)), 0)
			require.True(t, ticks == 0 || have(ticks-1).Cmp(rat(n.Burst)) < 0)
			// After GiveBack the clock has caught up, shortly before it has not.
			if n.Burst > 0 {
				owed := func(after float64) int {
					used := add(mul(have(ticks), second), mul(rat(n.Rate), rat(after)))
					return used.Cmp(mul(perSecond, rat(after)))
				}
				require.LessOrEqual(t, owed(float64(o.GiveBack)*(1+close)+1), 0)
				require.GreaterOrEqual(t, owed(float64(o.GiveBack)*(1-close)-1), 0)
			} else {
				require.Zero(t, o.GiveBack)
			}
			// Disposable: each first start and each restart takes an ID, 0 is none.
			left := o.WorkerIDs - 1 - n.Workers
			require.Equal(t, max(0, left), o.DisposableRestarts)
			perDay := mul(ratOf(n.Workers), rat(n.RestartsPerDay))
			spent := mul(perDay, quo(years, ratOf(int64(day))))
			if enough, edge := spent.Cmp(ratOf(left)) <= 0,
				quo(sub(ratOf(left), spent), ratOf(max(1, o.WorkerIDs))); enough != o.Disposable {
				f, _ := edge.Float64()
				require.Less(t, math.Abs(f), close, "%+v of %+v", o, n)
			}
			until := o.Full.Sub(n.From).Hours() / 24
			require.LessOrEqual(t, o.DisposableDays, until*(1+close))
			if left < 0 {
				require.Zero(t, o.DisposableDays)
			} else if used, _ := mul(perDay, rat(o.DisposableDays)).Float64(); o.DisposableDays < until*(1-close) {
				require.InEpsilon(t, float64(left)+1, used+1, close)
			} else {
				require.LessOrEqual(t, used, float64(left)*(1+close))
			}
			// Leased: IDs not at work are each on hold once per Hold.
			require.InDelta(t, float64(o.WorkerIDs-n.Workers), o.LeasedRestartsPerDay*n.Hold.Hours()/24,
				close*float64(o.WorkerIDs))
			require.GreaterOrEqual(t, o.LeasedRestartsPerDay*(1+close)+close, float64(n.Workers)*n.RestartsPerDay)
		}
	})
}

// Nothing is refused that a search through all widths and units finds, and
// disposable IDs are on offer where any layout has enough of them.
func TestLayoutsRefuseNothingThatHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := drawNeed(t)
		n := must(asked.complete(now))
		options, err := layouts(asked, now)
		offered := map[time.Duration]bool{}
		for _, o := range options {
			offered[o.Layout.Unit()] = offered[o.Layout.Unit()] || o.Disposable
		}
		ms := rapid.SampledFrom([]int64{1, 1000, 1, 1000, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250,
			500}).Draw(t, "unit")
		unit := time.Duration(ms) * time.Millisecond
		workers := workersNeeded(n, strict)
		enough := rat(n.starts()*(1+close) + 1) // disposable IDs
		for sb := 0; sb < n.limit(); sb++ {
			lead, ok := sequenceHolds(n, sb, unit, strict)
			if !ok {
				continue
			}
			end := timeNeeded(n, n.Epoch, lead, strict)
			for tb := 1; tb <= n.limit()-sb && tb <= 50; tb++ { // 2^50 ms are more than anyone may ask for
				wb := n.limit() - tb - sb // where fewer hold, so do all that are left
				if lastTick(tb, unit).Cmp(end) < 0 || pow2(wb).Cmp(workers) < 0 {
					continue
				}
				require.NoError(t, err, "%d/%d/%d unit=%v holds for %+v", tb, wb, sb, unit, n)
				if ms == 1 || ms == 1000 {
					require.True(t, offered[unit] || pow2(wb).Cmp(enough) < 0,
						"%d/%d/%d unit=%v has enough disposable IDs for %+v", tb, wb, sb, unit, n)
				}
			}
		}
	})
}

// Each thing to give up is enough alone, is lower than before, and could not have
// been kept in full; what one number lowered to its least could cure is among them.
func TestLayoutsSayWhatToGiveUp(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		asked := drawNeed(t)
		n := must(asked.complete(now))
		_, err := layouts(asked, now)
		if err == nil {
			return
		}
		refused++
		var nofit *NoFitError
		require.ErrorAs(t, err, &nofit)
		require.ErrorIs(t, err, uid.ErrConfig)
		require.Equal(t, n.limit(), nofit.Limit)
		if sum := nofit.TimeBits + nofit.WorkerBits + nofit.SequenceBits; nofit.Unit != 0 {
			require.Greater(t, sum, nofit.Limit)
			require.ErrorContains(t, err, fmt.Sprintf("%d in all of %d", sum, nofit.Limit))
		} else {
			require.Zero(t, sum)
			require.ErrorContains(t, err, "no sequence is wide enough")
		}
		var offered [6]bool
		for _, c := range nofit.GiveUp {
			require.ErrorContains(t, err, c.Text)
			options, err := layouts(c.Need, now)
			require.NoError(t, err, c.Text)
			require.NotEmpty(t, options)
			lowered := slices.Repeat([]Need{n}, 6) // each in one number
			lowered[0].Rate = min(n.Rate, c.Need.Rate)
			lowered[1].Burst = min(n.Burst, c.Need.Burst)
			lowered[2].Workers = min(n.Workers, c.Need.Workers)
			lowered[3].RestartsPerDay = min(n.RestartsPerDay, c.Need.RestartsPerDay)
			lowered[4].Years = min(n.Years, c.Need.Years)
			lowered[5].JSSafe = c.Need.JSSafe
			require.Contains(t, lowered, c.Need, c.Text)
			require.NotEqual(t, n, c.Need)
			offered[slices.Index(lowered, c.Need)] = true
			if c.Need.Workers < n.Workers {
				again := c.Need
				again.Workers++
				_, err = layouts(again, now)
				require.Error(t, err, "%s, but one more fits", c.Text)
			}
		}
		for i, change := range []func(*Need){
			func(n *Need) { n.Rate = min(n.Rate, 0.001) },
			func(n *Need) { n.Burst = 0 },
			func(n *Need) { n.Workers = 1 },
			func(n *Need) { n.RestartsPerDay = 0 },
			func(n *Need) { n.Years = min(n.Years, 0.001) },
			func(n *Need) { n.JSSafe = false },
		} {
			least := n
			change(&least)
			require.True(t, offered[i] || !least.fits(), "%d of %v", i, nofit)
		}
	})
	require.Positive(t, refused)
}

func TestLayoutsRefuseBadNumbers(t *testing.T) {
	ok := Need{Rate: 1000, Burst: 1000, Workers: 10, RestartsPerDay: 1, Years: 1}
	must(layouts(ok, now))
	must(Layouts(ok))
	for text, change := range map[string]func(*Need){
		"rate -1":                       func(n *Need) { n.Rate = -1 },
		"rate NaN":                      func(n *Need) { n.Rate = math.NaN() },
		"rate 1.1e+12":                  func(n *Need) { n.Rate = 1.1e12 },
		"rate +Inf":                     func(n *Need) { n.Rate = math.Inf(1) },
		"burst -0.5":                    func(n *Need) { n.Burst = -0.5 },
		"burst 1.1e+15":                 func(n *Need) { n.Burst = 1.1e15 },
		"burst NaN":                     func(n *Need) { n.Burst = math.NaN() },
		"workers -1":                    func(n *Need) { n.Workers = -1 },
		"workers 9.223372036854776e+18": func(n *Need) { n.Workers = math.MaxInt64 },
		"restarts per day -1":           func(n *Need) { n.RestartsPerDay = -1 },
		"restarts per day NaN":          func(n *Need) { n.RestartsPerDay = math.NaN() },
		"restarts per day 1.1e+06":      func(n *Need) { n.RestartsPerDay = 1.1e6 },
		"years 0":                       func(n *Need) { n.Years = 0 },
		"years -1":                      func(n *Need) { n.Years = -1 },
		"years 251":                     func(n *Need) { n.Years = 251 },
		"years NaN":                     func(n *Need) { n.Years = math.NaN() },
		"a lead of -1ns":                func(n *Need) { n.MaxLead = -1 },
		"a hold of -1ns":                func(n *Need) { n.Hold = -1 },
		"epoch 1969-12-31T23:59:59Z is not within 1970 and the present": func(n *Need) { n.Epoch = time.Unix(-1, 0) },

		"epoch 2026-02-02T12:00:00Z is not within 1970 and the present, 2026": func(n *Need) { n.Epoch = now.Add(day) },

		"the years begin at 2025-12-31": func(n *Need) { n.From = bits.Default().Epoch().Add(-1) },
		"the years begin at 10000":      func(n *Need) { n.From = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		n := ok
		change(&n)
		options, err := layouts(n, now)
		logtest.Error(t, err, uid.ErrConfig, text)
		require.Empty(t, options)
		var nofit *NoFitError
		require.False(t, errors.As(err, &nofit))
	}
	_, err := layouts(Need{Rate: 1e12, Burst: 1e15, Workers: 1e15, RestartsPerDay: 1e6, Years: 250, MaxLead: 1}, now)
	require.ErrorContains(t, err, "no sequence is wide enough")
	_, err = layouts(Need{Rate: 1e12, Burst: 1e15, Workers: 1e15, RestartsPerDay: 1e6, Years: 250, Hold: math.MaxInt64},
		now)
	require.ErrorContains(t, err, "lower several")
	_, err = layouts(Need{Workers: 1000, RestartsPerDay: 1e6, Years: 1, Hold: math.MaxInt64}, now)
	require.ErrorIs(t, err, uid.ErrConfig, "1e14 IDs are on hold")
	_, err = layouts(Need{Workers: 1e15, RestartsPerDay: 1e6, Years: 1, Hold: math.MaxInt64}, now)
	require.ErrorIs(t, err, uid.ErrConfig, "1e26 IDs are on hold, more than a number can say")
}

func TestExamples(t *testing.T) {
	// A modest service gets the default first.
	options := must(layouts(Need{Rate: 1000, Burst: 1e5, Workers: 10, RestartsPerDay: 2, Years: 5}, now))
	require.Equal(t, "default", options[0].Name)
	require.True(t, options[0].Disposable)
	require.Equal(t, 13*time.Second, options[0].Lead)

	holds := func(n Need) bool {
		_, ok := must(n.complete(now)).judge(bits.Default())
		return ok
	}
	// 8,192 UIDs a second are what 13 bits of sequence sustain, and not one more.
	for rate, want := range map[float64]bool{8192: true, 8192.001: false} {
		require.Equal(t, want, holds(Need{Rate: rate, Workers: 1, Years: 1}))
	}

	// The last burst has to fit before the end: 13 s of lead.
	year := Need{Burst: 1e5, Workers: 1, Years: 1, From: bits.Default().Expires().Add(-meanYear)}
	require.False(t, holds(year))
	year.From = year.From.Add(-13 * time.Second)
	require.True(t, holds(year))
	year.From = year.From.Add(1)
	require.False(t, holds(year))

	// A nanosecond more than the last tick of 28 bits takes a 29th.
	for more, want := range map[time.Duration]int{0: 28, 1: 29} {
		n := must(Need{Workers: 1, Years: 1, From: bits.Default().Expires().Add(more - meanYear)}.complete(now))
		w, ok := n.least(time.Second)
		require.True(t, ok)
		require.Equal(t, want, w[0])
	}

	// A burst has to be given back within a year.
	slow := Need{Burst: 8192, Workers: 1, Years: 1}
	for rate, want := range map[float64]bool{8192: false, 8192 - 2.5e-4: false, 8192 - 2.7e-4: true} {
		slow.Rate = rate
		require.Equal(t, want, holds(slow), "%v", rate)
	}

	// A preset whose epoch is still to come does not hold, though it would last.
	options = must(layouts(Need{Workers: 1, Years: 1, Epoch: time.Unix(1e9, 0), From: time.Unix(1.1e9, 0)}, now))
	for _, o := range options {
		require.Empty(t, o.Name)
	}

	// More disposable IDs than 32 bits hold.
	options = must(layouts(Need{Workers: 1000, RestartsPerDay: 1000, Years: 20}, now))
	require.True(t, slices.ContainsFunc(options, func(o Option) bool { return o.Disposable }))

	// Two million a second from each of 500 workers for 30 years: only leased IDs
	// are enough.
	options = must(layouts(Need{Rate: 2e6, Burst: 5e7, Workers: 500, RestartsPerDay: 20, Years: 30}, now))
	for _, o := range options {
		require.False(t, o.Disposable)
		require.Less(t, o.Lead, 30*time.Second)
	}
	_, err := layouts(Need{Rate: 2e6, Burst: 5e7, Workers: 500, RestartsPerDay: 20, Years: 30, JSSafe: true}, now)
	require.EqualError(t, err,
		"unusable configuration: no layout holds: at ticks of 1s it takes 30 bits of time, 10 of worker ID "+
			"and 21 of sequence, 61 in all of 53; give up one of: numbers that are safe in JavaScript; a rate of "+
			"at most 8190 UIDs a second per worker; at most 2 workers; at most 0.049 years")
}

func TestLower(t *testing.T) {
	for i := range 2000 {
		limit := float64(i) / 10
		below := func(v float64) bool { return v < limit }
		got := lower(1e5, 3, below)
		require.True(t, i == 0 || below(got), "%v", limit)
		require.GreaterOrEqual(t, got, limit*0.989)
		if digits := fmt.Sprintf("%.3g", got); digits != fmt.Sprint(got) {
			require.InEpsilon(t, limit, got, 1e-12, "not rounded only where that is too much")
		}
	}
}

// Who does not say how many workers there are gets no layout for one or two. Who says one does.
func TestLayoutsForUnknownWorkers(t *testing.T) {
	for _, rate := range []float64{0, 1000, 1e5, 1e6, 1e7} {
		for _, js := range []bool{false, true} {
			options, err := layouts(Need{Rate: rate, Years: 10, JSSafe: js}, now)
			if rate > 1e6 && js {
				require.ErrorIs(t, err, uid.ErrConfig)
				continue
			}
			require.NoError(t, err)
			for _, o := range options {
				require.GreaterOrEqual(t, o.WorkerIDs, int64(16), "%v for %v UIDs a second", o.Layout, rate)
				require.Positive(t, o.LeasedRestartsPerDay)
				require.Positive(t, o.DisposableRestarts)
			}
		}
	}
	for rate, want := range map[float64]int64{5e6: 2, 1e7: 1} { // with and without a bit to spare
		_, err := layouts(Need{Rate: rate, Years: 10, JSSafe: true}, now)
		require.Regexp(t, "; at most [24] workers; ", err.Error())
		options := must(layouts(Need{Rate: rate, Years: 10, JSSafe: true, Workers: 1}, now))
		require.Equal(t, want, options[0].WorkerIDs)
	}
}

// The layouts of others are there to be read. (UidGenerator's is full, too.)
func TestLayoutsOffersNoForeignPreset(t *testing.T) {
	options := must(layouts(Need{Rate: 1, Workers: 2, Years: 1, From: now}, now))
	for _, p := range presets.Layouts() {
		offered := slices.ContainsFunc(options, func(o Option) bool { return o.Name == p.Name })
		require.Equal(t, !p.Foreign, offered, p.Name)
	}
}
