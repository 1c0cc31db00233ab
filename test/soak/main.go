package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/test/record"
)

// settings are the command line's.
type settings struct {
	length   time.Duration
	seed     uint64
	rate     float64
	atLeast  float64
	json     bool
	selfOnly bool
}

const (
	// roundLength is about the time of a round.
	roundLength = 5 * time.Minute
	// defaultRate leaves two cores some time for the faults.
	defaultRate = 28e6
)

func main() {
	if text := os.Getenv(processEnv); text != "" {
		os.Exit(childMain(text))
	}
	var s settings
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Look for a UID that is issued twice",
		Long: `Look for a UID that is issued twice, by a dozen processes that are killed, paused and
restarted, whose clocks are set, and whose databases fail. See the package's doc.

It exits with 1 when anything was found that was promised not to be, or when its self-test
did not find what was planted.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				s.seed = rand.Uint64()
			}
			return s.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&s.length, "for", 250*time.Second, "time to run, self-test and start not included")
	flags.Uint64Var(&s.seed, "seed", 0, "seed of the schedule (default: another one each time)")
	flags.Float64Var(&s.rate, "rate", 0, "UIDs a second of all processes together (default: 28 million, or what the memory allows)")
	flags.Float64Var(&s.atLeast, "at-least", 0, "fail if there are fewer UIDs; run for up to twice the time to get them")
	flags.BoolVar(&s.json, "json", false, "print the result as JSON, and all else to standard error")
	flags.BoolVar(&s.selfOnly, "self-test", false, "only find the planted faults")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errViolations = errors.New("soak: there are violations")

func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	talk := stdout
	if s.json {
		talk = stderr
	}
	rounds := max(1, int((s.length+roundLength/2)/roundLength))
	length := s.length / time.Duration(rounds)
	if err := s.fit(length); err != nil {
		return err
	}
	rep := report{Seed: s.seed, For: s.length}
	rep.Violations = []string{}
	var err error
	if rep.SelfTest, err = selfTest(talk, trials()); err != nil || s.selfOnly {
		return err
	}
	fmt.Fprintf(talk, "\nseed %d: the same schedule comes of --seed %d --for %v\n", s.seed, s.seed, s.length)
	for i, sl := range soakSlots {
		fmt.Fprintf(talk, "  process %2d: %s\n", i, sl)
	}
	st, err := openStores()
	if err != nil {
		return err
	}
	defer st.close()
	show := newProgress(length, s.length)
	rep.Faults, rep.Found = map[string]int64{}, map[string]uint64{}
	above := int64(-1) // the last tick of the round before
	for i := range rounds {
		res, err := s.round(ctx, i, length, st, &above, talk, show)
		if err != nil {
			return err
		}
		rep.result.add(res)
	}
	show.end()
	if float64(rep.UIDs) < s.atLeast {
		rep.Violations = append(rep.Violations, fmt.Sprintf("%s UIDs were drawn, and at least %s wanted", count(rep.UIDs), count(uint64(s.atLeast))))
	}
	rep.OK = len(rep.Violations) == 0 && len(rep.Found) == 0
	if s.json {
		err = rep.writeJSON(stdout)
	} else {
		rep.writeText(stdout)
	}
	if err == nil && !rep.OK {
		err = errViolations
	}
	return err
}

// round runs one round, with ticks that come after those of the one before.
func (s *settings) round(ctx context.Context, number int, length time.Duration, st *stores, above *int64, talk io.Writer, show *progress) (result, error) {
	plan := newSchedule(s.seed, number, length, soakSlots)
	fmt.Fprintf(talk, "\nround %d, by seconds after the time in front, +: until it is there again\n%v", number+1, plan)
	if err := st.renew(soakSlots); err != nil {
		return result{}, err
	}
	for soakLayout.TickAt(time.Now().Add(-margin)) <= *above {
		time.Sleep(tickUnit)
	}
	now := time.Now()
	g, err := record.NewGeometry(soakLayout, now.Add(-margin), now.Add(2*length+closeLimit+margin))
	if err != nil {
		return result{}, err
	}
	m, err := newMemory(g)
	if err != nil {
		return result{}, err
	}
	defer m.Close()
	r := round{number: number, length: length, schedule: plan, stores: st, fleet: newFleet(m, st, soakSlots, s.rate)}
	res, err := r.run(ctx, uint64(s.atLeast*length.Seconds()/s.length.Seconds()), show)
	for id := range soakLayout.MaxWorkerID() + 1 {
		*above = max(*above, m.Newest(id))
	}
	return res, err
}

// memoryShare is the part of the available memory that is used, at most.
const memoryShare = 0.4

// fit sets the rate to what the memory allows, or says why a rate cannot be had.
func (s *settings) fit(length time.Duration) error {
	if s.length <= 0 || s.rate < 0 || s.atLeast < 0 {
		return fmt.Errorf("soak: --for %v, --rate %g, --at-least %g: want a time above 0, and no negative number", s.length, s.rate, s.atLeast)
	}
	available := availableMemory()
	// A page may be wasted for each tick of each process.
	const page = 4096
	wasted := length.Seconds() / tickUnit.Seconds() * float64(len(soakSlots)) * page
	most := (float64(available)*memoryShare - wasted) * 8 / length.Seconds()
	switch {
	case available == 0:
		most = defaultRate
	case most <= 0:
		return fmt.Errorf("soak: %d MB of memory are available, of which %.0f %% are not enough for a round of %v", available>>20, 100*memoryShare, length)
	}
	if s.rate == 0 {
		s.rate = min(defaultRate, most)
	}
	if available > 0 && s.rate > most {
		return fmt.Errorf("soak: --rate %g: for %v, %.0f %% of the %d MB of memory that are available hold at most %.3g UIDs a second",
			s.rate, length, 100*memoryShare, available>>20, most)
	}
	if mean := s.atLeast / s.length.Seconds(); mean > s.rate {
		return fmt.Errorf("soak: --at-least %g in %v are %.3g UIDs a second, and the rate is %.3g", s.atLeast, s.length, mean, s.rate)
	}
	return nil
}
