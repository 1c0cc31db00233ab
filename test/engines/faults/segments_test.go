package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
)

// takenFrom are the engines whose segments are tested, those first that take longest. Redis and Valkey keep what
// they acknowledge.
var takenFrom = []engines.Engine{
	engines.Galera, engines.MySQL9, engines.ZooKeeper, engines.Etcd, engines.MariaDB, engines.Postgres, engines.SQLite,
	engines.Redis("--appendfsync=always"), engines.Valkey("--appendfsync=always"),
}

// A plan is how much a run does.
type plan struct {
	numbers, maxStep                     int64
	chunk                                int // numbers that are asked for at once
	kills, closes, pauses, cuts, outages int
	between                              time.Duration
	losses                               int
}

func newPlan() plan {
	if isFull {
		return plan{numbers: 1e9, maxStep: 1_000_000, chunk: 20_000, kills: 150, closes: 50, pauses: 30, cuts: 15,
			outages: 24, between: 250 * time.Millisecond, losses: 5}
	}
	return plan{numbers: 20e6, maxStep: 50_000, chunk: 2000, kills: 14, closes: 5, pauses: 4, cuts: 2, outages: 3,
		between: 150 * time.Millisecond, losses: 1}
}

func TestSegments(t *testing.T) {
	r := &results{planned: len(takenFrom)}
	r.Header = table.Row{"engine", "numbers", "servers killed", "numbers skipped",
		"of these without a reason", "duplicates", "after losses: stopped, went on"}
	r.each(t, takenFrom, func(t *testing.T, s subject) {
		p := newPlan()
		row := []any{s.Name}
		ok := t.Run("draw", func(t *testing.T) {
			r := newTaking(t, s.d, numbersJob{Most: 4*p.numbers + 1<<26, MinStep: 1000, MaxStep: p.maxStep,
				Chunk: p.chunk, Release: 300 * time.Millisecond})
			r.start(r.net.Near, 8)
			servers := r.disturb(p)
			v := r.finish()
			row = append(row, v.issued, servers, v.holes, len(v.unexplained), r.doubles())
			for _, h := range v.unexplained[:min(3, len(v.unexplained))] {
				r.tell(h)
			}
			require.NoError(t, v.err)
		})
		ok = t.Run("losses", func(t *testing.T) { row = append(row, testLosses(t, s, p.losses)) }) && ok
		if ok && len(row) == len(r.Header) {
			r.Add(s.rank, row...)
		}
	})
	r.publish(t, takenFrom, "segments")
}

// A taking is processes that draw the numbers of a tag of its own.
type taking struct {
	*run
	*numbers
	numbersJob
}

// tags counts those that were used.
var tags atomic.Int64

func newTaking(t testing.TB, d *engines.Deployment, j numbersJob) *taking {
	m, err := openNumbers(j.Most, nil)
	require.NoError(t, err)
	t.Cleanup(m.Close) // after the processes have ended
	m.pause.Store(int64(5 * time.Millisecond))
	r := &taking{newRun(t, d), m, j}
	r.Tag = fmt.Sprint("run", tags.Add(1))
	r.launch = func(store string) *harness.Member {
		number := len(r.All)
		require.Less(t, number, maxDrawers)
		r.started.Add(1)
		issued := m.processes[number].issued.Load
		return r.Launch(job{Process: number, Store: store, Numbers: &r.numbersJob}, m.File(), issued)
	}
	r.run.mark = func() func() {
		before := r.takes()
		return func() { // but not for long: all processes may have plenty
			for began := time.Now(); r.takes() == before && time.Since(began) < 5*time.Second; {
				time.Sleep(5 * time.Millisecond)
			}
		}
	}
	r.ask(func(ctx context.Context, s engines.Store) error {
		lossy, err := s.Segments.Inspect(ctx)
		r.LossyStore = len(lossy) > 0
		return err
	})
	return r
}

// row reads the row, which nobody else writes meanwhile, or changes it.
func (r *taking) row(change func(*segmentstore.Row)) (row segmentstore.Row) {
	r.ask(func(ctx context.Context, s engines.Store) error {
		return s.Segments.Change(ctx, r.Tag, func(now *segmentstore.Row) error {
			if now.Fresh {
				return fmt.Errorf("no tag %s", r.Tag)
			}
			if change != nil {
				change(now)
			}
			row = *now
			return nil // so that it is written, and seen to be the newest
		})
	})
	return row
}

// close has a process end in good order.
func (r *taking) close(p *harness.Member) {
	p.Close()
	require.NotZero(r, r.progress(p).stats.closed.Load(),
		"process %d did not end in good order: %v\n%s", p.Number, p.State(), p.Log())
}

// progress returns what a process has come to.
func (r *taking) progress(p *harness.Member) *progress { return &r.processes[p.Number] }

// finish ends all in good order, and judges.
func (r *taking) finish() verdict {
	for _, p := range r.Living() {
		r.close(p)
	}
	return r.judge(r.row(nil).Next)
}

// tell logs who has decided about some numbers.
func (r *taking) tell(h hole) {
	for _, p := range r.All {
		for line := range strings.Lines(p.Log()) {
			var first, last int64
			if n, _ := fmt.Sscanf(line, decided, &first, &last); n == 2 && first <= h.last && last >= h.first {
				r.Logf("process %d %s", p.Number, line)
			}
		}
	}
}

// disturb injects the plan's faults, in any order, while the processes draw all of its numbers, evenly over
// the time that the faults take. It returns how many servers were killed.
func (r *taking) disturb(p plan) (servers int) {
	var actions []func()
	add := func(times int, action func()) { actions = append(actions, slices.Repeat([]func(){action}, times)...) }
	add(p.kills, func() { r.replace((*harness.Member).End) })
	add(p.closes, func() { r.replace(r.close) })
	add(p.pauses, func() {
		p := r.Any()
		p.Stop()
		r.Idle(400 * time.Millisecond)
		p.Continue()
	})
	if len(r.net.Near) > 0 {
		add(p.cuts, r.cutReplies)
	}
	if r.d.Ours() {
		round := 0
		add(p.outages, func() { servers += r.outage(round); round++ })
	}
	r.Rand.Shuffle(len(actions), func(i, j int) { actions[i], actions[j] = actions[j], actions[i] })
	var done atomic.Int64
	stop := r.keepPace(func() float64 { return float64(p.numbers) * float64(done.Load()) / float64(len(actions)) })
	for _, act := range actions {
		r.Idle(p.between)
		act()
		done.Add(1)
	}
	stop()
	r.numbers.pause.Store(0)
	harness.Await(r, "all numbers to be drawn", func() bool { return r.issued() >= p.numbers })
	r.numbers.pause.Store(int64(5 * time.Millisecond))
	for _, p := range r.Living() {
		if r.progress(p).lost.Load() == 0 { // else judge says so
			p.Await(1)
		}
	}
	return servers
}

// keepPace has the processes draw as many numbers as are due.
func (r *taking) keepPace(due func() float64) (stop func()) {
	const often = 20 * time.Millisecond
	ctx, end := context.WithCancel(context.Background())
	var keeping sync.WaitGroup
	keeping.Go(func() {
		for pause(ctx, often); ctx.Err() == nil; pause(ctx, often) {
			rest := max(time.Duration(r.numbers.pause.Load())/2, 250*time.Microsecond)
			if float64(r.issued()) > due() {
				rest = min(4*rest, 100*time.Millisecond)
			}
			r.numbers.pause.Store(int64(rest))
		}
	})
	stop = sync.OnceFunc(func() {
		end()
		keeping.Wait()
	})
	r.Cleanup(stop)
	return stop
}

// cutReplies has the servers do what they are asked to for a while, and nobody hears of it; a
// process ends meanwhile.
func (r *taking) cutReplies() {
	mute := func(mute bool) { r.net.Near.Each(func(p *harness.Proxy) { p.Mute(mute) }) }
	mute(true)
	time.AfterFunc(300*time.Millisecond, func() { mute(false) })
	r.Idle(150 * time.Millisecond)
	r.replace(r.close)
}

// restored has the row become what it was.
func restored(t *taking) loss {
	var was segmentstore.Row
	return loss{
		mark: func(*run) { was = t.row(nil); was.Takers = slices.Clone(was.Takers) },
		lose: func(*run) {
			t.row(func(now *segmentstore.Row) {
				updated := now.Updated
				*now = was
				now.Updated = updated
			})
		},
	}
}

// testLosses has a store lose what some processes have taken, and not what others have, and sees that the
// former notice when they next take numbers, and the latter go on.
func testLosses(t *testing.T, s subject, rounds int) string {
	l, can := s.paired(t)
	r := newTaking(t, s.d, numbersJob{Most: 1 << 26, MinStep: 200, MaxStep: 2000, Chunk: 50})
	if !can {
		l = restored(r)
	}
	r.numbers.pause.Store(int64(2 * time.Millisecond))
	noticed, wentOn := 0, 0
	for range rounds {
		lost, kept := r.lose(l)
		noticed, wentOn = noticed+lost, wentOn+kept
		for _, p := range r.Living() {
			r.close(p)
		}
	}
	t.Logf("%d numbers came twice until it was noticed", r.doubles())
	return fmt.Sprintf("%d, %d", noticed, wentOn)
}

// lose plays one loss, and returns how many generators' numbers were lost, and how many others there were.
func (r *taking) lose(l loss) (nLost, nKept int) {
	r.start(r.net.Near, 6)
	r.awaitTakes(r.Living())
	r.freeze(r.Living())
	l.mark(r.run)
	draw := r.Living()[2:]
	for _, p := range draw {
		p.Continue()
	}
	r.awaitTakes(draw)
	r.freeze(draw)
	l.lose(r.run)

	row := r.row(nil)
	had := map[*harness.Member]int64{}
	var lost, kept []*harness.Member
	for _, p := range r.Living() {
		at := r.progress(p)
		had[p] = at.takes.Load()
		if slices.ContainsFunc(row.Takers, func(t segmentstore.Taker) bool { return t.Last == at.ledger.newest() }) {
			kept = append(kept, p)
		} else {
			lost = append(lost, p)
		}
		p.Continue()
	}
	require.NotEmpty(r, lost, "what processes took that the store has lost")
	require.NotEmpty(r, kept, "what processes took that the store has kept")
	harness.Await(r, "those whose numbers were lost to notice", func() bool {
		return !slices.ContainsFunc(lost, func(p *harness.Member) bool { return r.progress(p).lost.Load() == 0 })
	})
	r.awaitTakes(kept)
	r.start(r.net.Near, 2)
	for _, p := range lost {
		require.Equal(r, had[p], r.progress(p).takes.Load(),
			"process %d took numbers before it noticed that the store had lost some", p.Number)
	}
	for _, p := range r.Living() {
		at := r.progress(p)
		require.Zero(r, at.revived.Load(), "process %d issued numbers after it had noticed", p.Number)
		require.Zero(r, at.failed.Load(), "process %d had calls that failed otherwise:\n%s", p.Number, p.Log())
		require.True(r, at.lost.Load() == 0 || slices.Contains(lost, p),
			"process %d says that numbers were lost, but they were not:\n%s", p.Number, p.Log())
	}
	return len(lost), len(kept)
}

// awaitTakes waits until each of some processes has taken numbers once more.
func (r *taking) awaitTakes(ps []*harness.Member) {
	for _, p := range ps {
		at := r.progress(p)
		before := at.takes.Load()
		harness.Await(r, "a process to take numbers", func() bool { return at.takes.Load() > before })
	}
}

// freeze stops processes, none of which is just taking numbers, nor knows of takes whose outcome is
// open.
func (r *taking) freeze(ps []*harness.Member) {
	for _, p := range ps {
		harness.Await(r, "a process to leave the store alone", func() bool {
			p.Stop()
			if at := r.progress(p); at.calls.Load() == 0 && len(at.ledger.all(isOpen)) == 0 {
				return true
			}
			p.Continue()
			return false
		})
	}
}
