package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/uidgen/uid/test/harness"
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
	harness.Ordered(job.do)
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
	flags.DurationVarP(&s.length, "for", "f", 250*time.Second, "time to run, self-test and start not included")
	flags.Uint64VarP(&s.seed, "seed", "s", 0, "seed of the schedule (default: another one each time)")
	flags.Float64VarP(&s.rate, "rate", "r", 0,
		"UIDs a second of all processes together (default: 28 million, or what the memory allows)")
	flags.Float64VarP(&s.atLeast, "at-least", "n", 0,
		"fail if there are fewer UIDs; run for up to twice the time to get them")
	flags.BoolVarP(&s.json, "json", "j", false, "print the result as JSON, and all else to standard error")
	flags.BoolVarP(&s.selfOnly, "self-test", "t", false, "only find the planted faults")
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
	res := result{Seed: s.seed, For: s.length, Faults: map[string]int64{}, Found: map[string]uint64{}}
	res.Violations = []string{}
	var err error
	if res.SelfTest, err = selfTest(talk, trials()); err != nil || s.selfOnly {
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
	for i := range rounds {
		if err := s.round(ctx, i, length, st, talk, &res); err != nil {
			return err
		}
	}
	if float64(res.UIDs) < s.atLeast {
		res.Violations = append(res.Violations, fmt.Sprintf("%s UIDs were drawn, and at least %.0f wanted",
			humanize.Comma(int64(res.UIDs)), s.atLeast))
	}
	res.OK = len(res.Violations) == 0 && len(res.Found) == 0
	if s.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(res)
	} else {
		res.write(stdout)
	}
	if err == nil && !res.OK {
		err = errViolations
	}
	return err
}

// round runs one round.
func (s *settings) round(ctx context.Context, number int, length time.Duration, st *stores,
	talk io.Writer, res *result) error {
	plan := newSchedule(s.seed, number, length, soakSlots)
	fmt.Fprintf(talk, "\nround %d, by seconds, +: until it is there again\n%v", number+1, plan)
	if err := st.renew(soakSlots); err != nil {
		return err
	}
	r, err := newRound(length, plan, st, soakSlots, s.rate)
	if err != nil {
		return err
	}
	defer r.memory.Close()
	if err := r.run(ctx, uint64(s.atLeast*length.Seconds()/s.length.Seconds())); err != nil {
		return err
	}
	return r.judge(res)
}

// memoryShare is the part of the available memory that is used, at most.
const memoryShare = 0.4

// fit sets the rate to what the memory allows, or says why a rate cannot be had.
func (s *settings) fit(length time.Duration) error {
	if s.length <= 0 || s.rate < 0 || s.atLeast < 0 {
		return fmt.Errorf("soak: --for %v, --rate %g, --at-least %g: want a time above 0, and no negative number",
			s.length, s.rate, s.atLeast)
	}
	most := float64(defaultRate)
	available := availableMemory()
	if available > 0 {
		// A page may be wasted for each tick of each process.
		wasted := length.Seconds() / tickUnit.Seconds() * float64(len(soakSlots)*os.Getpagesize())
		most = (float64(available)*memoryShare - wasted) * 8 / length.Seconds()
	}
	if s.rate == 0 {
		s.rate = min(defaultRate, most)
	}
	switch mean := s.atLeast / s.length.Seconds(); {
	case most <= 0 || available > 0 && s.rate > most:
		return fmt.Errorf("soak: --rate %g: for %v, %.0f %% of the %d MB of memory that are available hold "+
			"at most %.3g UIDs a second", s.rate, length, 100*memoryShare, available>>20, max(0, most))
	case mean > s.rate:
		return fmt.Errorf("soak: --at-least %g in %v are %.3g UIDs a second, and the rate is %.3g",
			s.atLeast, s.length, mean, s.rate)
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
