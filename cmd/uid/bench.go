package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker"
)

// bench is the command that compares the generators on this machine.
type bench struct {
	*program
	length time.Duration
	format format
	cores  bool
}

// benchRounds is how often each call has its turn; tests have fewer.
var benchRounds = 11

const (
	// benchBatch is how many IDs a goroutine draws before it looks again whether to stop.
	benchBatch = 1024
	// barFrom is the rate of an empty bar.
	barFrom = 1e6
)

func (p *program) bench() *cobra.Command {
	c := &bench{program: p, length: 3 * time.Second, format: table}
	cmd, flags := newCommand("bench [--cores] [--time DURATION]",
		"Compare the generators with a bare atomic add, on this machine",
		func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) })
	flags.BoolVar(&c.cores, "cores", false, "compare 1, 2, 4 … cores")
	flags.Var(spanVar(&c.length), "time", "roughly how long to measure")
	flags.Var(&c.format, "format", formatUsage)
	return cmd
}

// A contender is a source of IDs to measure.
type contender struct {
	name string
	// drawer returns the function with which one goroutine draws benchBatch IDs. It
	// returns their sum, so that none is computed for nothing.
	drawer func() func() (sum uint64, err error)
}

// A heat is a contender with a number of goroutines, and the results of its turns.
type heat struct {
	contender
	goroutines int
	procs      int       // GOMAXPROCS
	ns         []float64 // per ID, for each turn
}

func (c *bench) run(ctx context.Context) (err error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	contenders, end, err := benchContenders()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	procs := runtime.GOMAXPROCS(0)
	heats, list := coreHeats(contenders, procs), c.listCores
	if !c.cores {
		heats, list = nil, c.list
		for _, goroutines := range slices.Compact([]int{1, procs, 8 * procs}) {
			for _, s := range contenders {
				heats = append(heats, &heat{contender: s, goroutines: goroutines, procs: procs})
			}
		}
	}
	if err := c.measure(ctx, heats); err != nil {
		return err
	}
	list(summed(heats))
	return nil
}

// measure lets the heats take turns.
func (c *bench) measure(ctx context.Context, heats []*heat) error {
	bar := newProgress(nil, c.stderr, int64(benchRounds*len(heats))) // the output does not show how it goes
	turn := c.length / time.Duration(benchRounds*len(heats))
	defer bar.end()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for range benchRounds {
		for _, h := range heats {
			if runtime.GOMAXPROCS(0) != h.procs {
				runtime.GOMAXPROCS(h.procs)
			}
			if err := h.take(ctx, turn); err != nil {
				return interrupted(ctx, err)
			}
			bar.add(1)
		}
	}
	return nil
}

// benchContenders is not inlined: in closures of an inlined function the compiler turns the
// bare add into a call, which would flatter everything else.
//
//go:noinline
func benchContenders() (all []contender, end func() error, err error) {
	quiet := slog.New(slog.DiscardHandler)
	g, err := cached.New(worker.Static(0), cached.Config{MaxLead: cached.Unbounded, Logger: quiet})
	if err != nil {
		return nil, nil, err
	}
	roomy := bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 5, SequenceBits: 30})
	plain, err := uncached.New(worker.Static(0), uncached.Config{Layout: roomy, Logger: quiet})
	if err != nil {
		return nil, nil, errors.Join(err, g.Close())
	}
	counter := new(struct {
		_ cpu.CacheLinePad
		n atomic.Uint64
		_ cpu.CacheLinePad
	})
	unordered := g.Unordered()
	all = []contender{
		{"atomic add", alike(func() (uint64, error) {
			return drawBatch(func() (uid.UID, error) { return uid.UID(counter.n.Add(1)), nil })
		})},
		{"cached GetUID", alike(func() (uint64, error) {
			return drawBatch(func() (uid.UID, error) { return g.GetUID() })
		})},
		{"cached Unordered", alike(func() (uint64, error) {
			return drawBatch(func() (uid.UID, error) { return unordered.GetUID() })
		})},
		{"cached Lane", func() func() (uint64, error) {
			l := g.Lane()
			return func() (uint64, error) { return drawBatch(func() (uid.UID, error) { return l.GetUID() }) }
		}},
		{"cached Fill", func() func() (uint64, error) {
			buf := make([]uid.UID, benchBatch)
			return func() (sum uint64, err error) {
				_, err = g.Fill(buf)
				for _, id := range buf {
					sum += uint64(id)
				}
				return sum, err
			}
		}},
		{"uncached GetUID", alike(func() (uint64, error) {
			return drawBatch(func() (uid.UID, error) { return plain.GetUID() })
		})},
	}
	return all, func() error { return errors.Join(g.Close(), plain.Close()) }, nil
}

// alike is for contenders with which all goroutines draw in the same way.
func alike(draw func() (uint64, error)) func() func() (uint64, error) {
	return func() func() (uint64, error) { return draw }
}

// drawBatch draws benchBatch IDs. The compiler puts it, and the function literal that it is given, into
// the caller: no call stands between two IDs but the generator's own.
func drawBatch(next func() (uid.UID, error)) (sum uint64, err error) {
	for range benchBatch {
		id, err := next()
		if err != nil {
			return 0, err
		}
		sum += uint64(id)
	}
	return sum, nil
}

// benchSink keeps what was drawn.
var benchSink atomic.Uint64

// take draws for about d. It returns ctx's error if that ends before.
func (h *heat) take(ctx context.Context, d time.Duration) error {
	var (
		drawn  atomic.Int64
		failed atomic.Pointer[error]
		ended  sync.WaitGroup
	)
	turn, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	began := time.Now()
	for range h.goroutines {
		draw := h.drawer()
		ended.Go(func() {
			n, total := int64(0), uint64(0)
			// At least once: in a short turn many goroutines might otherwise draw nothing.
			for first := true; first || turn.Err() == nil; first = false {
				sum, err := draw()
				if err != nil {
					failed.Store(&err)
					break
				}
				total += sum
				n += benchBatch
			}
			drawn.Add(n)
			benchSink.Add(total)
		})
	}
	ended.Wait()
	took := time.Since(began)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := failed.Load(); err != nil {
		return fmt.Errorf("%s: %w", h.name, *err)
	}
	h.ns = append(h.ns, float64(took.Nanoseconds())/float64(drawn.Load()))
	return nil
}

// A benchResult is the median of a heat's turns, their range, and the median and the range of their ratios to the same
// turns of the bare add with as many goroutines.
type benchResult struct {
	Cores     int     `json:"cores"`
	Call      string  `json:"call"`
	NS        float64 `json:"ns"`
	Low       float64 `json:"ns_low"`
	High      float64 `json:"ns_high"`
	TimesAdd  float64 `json:"times_add"`
	TimesLow  float64 `json:"times_add_low"`
	TimesHigh float64 `json:"times_add_high"`
}

// summed returns what came of the heats. The atomic add is the first with as many goroutines.
func summed(heats []*heat) (all []benchResult) {
	add := make(map[int]*heat)
	for _, h := range heats {
		if add[h.goroutines] == nil {
			add[h.goroutines] = h
		}
		var ratios []float64
		for turn, ns := range h.ns {
			ratios = append(ratios, ns/add[h.goroutines].ns[turn])
		}
		ns, last := slices.Sorted(slices.Values(h.ns)), len(h.ns)-1
		slices.Sort(ratios)
		all = append(all, benchResult{
			h.goroutines, h.name, ns[len(ns)/2], ns[0], ns[last], ratios[len(ratios)/2], ratios[0], ratios[last],
		})
	}
	return all
}

func (c *bench) list(results []benchResult) {
	columns := []column{
		{"goroutines", "at\nonce", true}, {"call", "", false}, {"ns", "ns/UID", true}, {"ns_low", "from", true},
		{"ns_high", "to", true}, {"times_add", "× add", true}, {"uids_per_second", "million\nUIDs/s", true},
	}
	if c.format == table {
		columns = append(columns, column{"bar", "", false})
	}
	l := newListing(c.out, c.format, columns...)
	for _, r := range results {
		l.add([]cell{
			{value: r.Cores}, {value: r.Call}, decimal(r.NS), decimal(r.Low), decimal(r.High),
			decimal(r.TimesAdd), rate(r.NS), {value: rateBar(1e9 / r.NS)},
		}[:len(columns)]...)
	}
	l.end()
}

// rate is the cell of UIDs a second, for people in millions.
func rate(ns float64) cell {
	return cell{value: int64(math.Round(1e9 / ns)), text: fmt.Sprintf("%.1f", 1e3/ns)}
}

// decimal is a cell of a number with two decimals.
func decimal(v float64) cell { return cell{value: v, text: fmt.Sprintf("%.2f", v)} }

// rateBar returns a bar that grows by a block with each doubling of the rate.
func rateBar(rate float64) string {
	eighths := int(math.Round(8 * math.Log2(max(1, rate/barFrom))))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}
