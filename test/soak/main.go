package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
)

// settings are the command line's.
type settings struct {
	length  time.Duration
	seed    uint64
	atLeast float64
	on      []string
	draw    []string
	publish bool

	out  io.Writer
	rate float64 // UIDs a second of all processes together
}

const (
	// roundLength is about the time of a round.
	roundLength = 5 * time.Minute
	// defaultRate leaves two cores some time for the faults.
	defaultRate = 28e6
)

func main() {
	slog.SetDefault(quiet) // of stores, which are opened all the time
	harness.Ordered(job.do)
	var s settings
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Look for a UID that is issued twice",
		Long: `Look for a UID that is issued twice, by a dozen processes that are killed, paused and
restarted, whose clocks are set, and whose databases fail. See the package's doc.

It exits with 1 when anything was found that was promised not to be, or when what was planted
was not found.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				s.seed = rand.Uint64()
			}
			s.out = cmd.OutOrStdout()
			if len(s.on) > 0 {
				return s.runOn(cmd.Context())
			}
			return s.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.DurationVarP(&s.length, "for", "f", 250*time.Second,
		"time to run, or of each round on an engine; self-test and start not included")
	flags.Uint64VarP(&s.seed, "seed", "s", 0, "seed of the schedule (default: another one each time)")
	flags.Float64VarP(&s.atLeast, "at-least", "n", 0,
		"fail if there are fewer UIDs; run for up to twice the time to get them")
	flags.StringSliceVar(&s.on, "on", nil, "engines to run on instead: "+strings.Join(names(), ", ")+", or all")
	flags.StringSliceVar(&s.draw, "draw", []string{"leases", "numbers"}, "what to draw there")
	flags.BoolVar(&s.publish, "publish", false, "write what came of all engines to "+evidence)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errViolations = errors.New("soak: there are violations")

func (s *settings) run(ctx context.Context) error {
	rounds := max(1, int((s.length+roundLength/2)/roundLength))
	length := s.length / time.Duration(rounds)
	if err := s.fit(length); err != nil {
		return err
	}
	if err := s.selfTest(ctx, trials()); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nseed %d: the same schedule comes of --seed %d --for %v\n", s.seed, s.seed, s.length)
	for i, sl := range soakSlots {
		fmt.Fprintf(s.out, "  process %2d: %s\n", i, sl)
	}
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.close()
	all := map[string]engines.Engine{mariadb: engines.MariaDB, pair: engines.MariaDB, embedded: engines.SQLite}
	for name, e := range all {
		if err := w.start(name, e, name == pair); err != nil {
			return err
		}
		w.places[name].byHand = true
	}
	var res result
	for range rounds {
		wanted := uint64(s.atLeast * length.Seconds() / s.length.Seconds())
		if err := s.round(ctx, w, soakSlots, length, wanted, &res); err != nil {
			return err
		}
	}
	if float64(res.UIDs) < s.atLeast {
		res.Violations = append(res.Violations, fmt.Sprintf("%s UIDs were drawn, and at least %.0f wanted",
			humanize.Comma(int64(res.UIDs)), s.atLeast))
	}
	res.write(s.out)
	return res.err()
}

// round runs one round.
func (s *settings) round(ctx context.Context, w *world, slots []slot, length time.Duration, wanted uint64,
	res *result) error {
	if err := w.renew(slots); err != nil {
		return err
	}
	plan := newSchedule(s.seed, w.round, length, slots, w.places)
	fmt.Fprintf(s.out, "\nround %d, by seconds, +: until it is there again\n%v", w.round, plan)
	r, err := newRound(length, plan, w, slots, s.rate)
	if err != nil {
		return err
	}
	defer r.memory.Close()
	if err := r.run(ctx, wanted); err != nil {
		return err
	}
	return r.judge(res)
}

// memoryShare is the part of the available memory that is used, at most.
const memoryShare = 0.4

// fit sets the rate to what the memory allows, or says why a number of UIDs cannot be had.
func (s *settings) fit(length time.Duration) error {
	if s.length <= 0 || s.atLeast < 0 {
		return fmt.Errorf("soak: --for %v, --at-least %g: want a time above 0, and no negative number",
			s.length, s.atLeast)
	}
	s.rate = defaultRate
	if available := availableMemory(); available > 0 {
		// A page may be wasted for each tick of each process.
		wasted := length.Seconds() / tickUnit.Seconds() * float64(len(soakSlots)*os.Getpagesize())
		s.rate = min(s.rate, (float64(available)*memoryShare-wasted)*8/length.Seconds())
	}
	if mean := s.atLeast / s.length.Seconds(); s.rate <= 0 || mean > s.rate {
		return fmt.Errorf("soak: --at-least %g in %v are %.3g UIDs a second, and the rate is %.3g, of which "+
			"%.0f %% of the memory that is available hold the bits", s.atLeast, s.length, mean, s.rate, 100*memoryShare)
	}
	return nil
}

// availableMemory returns how many bytes may be used, by Linux and the control group, or 0 if that is not known.
func availableMemory() (bytes int64) {
	text, _ := os.ReadFile("/proc/meminfo")
	if _, after, found := strings.Cut(string(text), "MemAvailable:"); found {
		_, _ = fmt.Sscan(after, &bytes)
		bytes <<= 10
	}
	group := func(name string) (n int64) {
		text, _ := os.ReadFile("/sys/fs/cgroup/" + name)
		n, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		return n
	}
	if limit := group("memory.max"); limit > 0 {
		bytes = max(1, min(bytes, limit-group("memory.current")))
	}
	return bytes
}

// names are those of all engines.
func names() []string { return slices.Sorted(maps.Keys(played)) }
