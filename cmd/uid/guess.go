package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/guess"
)

// guesser shows what each number could be.
type guesser struct {
	*parse
	misfit  int64 // the first number that nothing fits
	misfits int   // how many there are
}

func (g *guesser) show(id int64) error {
	guesses := guess.Guesses(id, g.now())
	if len(guesses) == 0 {
		if g.misfits == 0 {
			g.misfit = id
		}
		g.misfits++
		return nil
	}
	if g.format == table {
		g.tell(id, guesses)
		return nil
	}
	for _, guess := range guesses {
		p := guess.Parts
		g.record(g.format, "uid", fmt.Sprint(id), "layout", guess.Name, "time", p.Time, "worker_id", p.Machine,
			"sequence", p.Sequence, "confidence", guess.Confidence().String(), "signs", append(signs{}, guess.Signs...))
	}
	return nil
}

// signs is a list of words, in JSON an array.
type signs []string

func (s signs) String() string { return strings.Join(s, ", ") }

// tell shows guesses to a person.
func (g *guesser) tell(id int64, guesses []guess.Guess) {
	if g.shown {
		g.out.WriteByte('\n')
	}
	g.shown = true
	widest := 0
	for _, guess := range guesses {
		widest = max(widest, len(guess.Name))
	}
	fmt.Fprintln(g.out, id)
	for _, guess := range guesses {
		p := guess.Parts
		fmt.Fprintf(g.out, "  %-*s  %s, worker %d, sequence %d\n",
			widest, guess.Name, p.Time.Format(time.RFC3339Nano), p.Machine, p.Sequence)
		why := guess.Confidence().String()
		if len(guess.Signs) > 0 {
			why += ": " + signs(guess.Signs).String()
		}
		fmt.Fprintf(g.out, "  %-*s  %s\n", widest, "", why)
	}
}

func (g *guesser) end() error {
	switch g.misfits {
	case 0:
		return nil
	case 1:
		g.note("%d: nothing that is known here makes sense of it", g.misfit)
	default:
		g.note("%d and %d more: nothing that is known here makes sense of them", g.misfit, g.misfits-1)
	}
	return errAnswered
}
