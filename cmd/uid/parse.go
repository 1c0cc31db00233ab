package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// parse is the command that takes UIDs apart.
type parse struct {
	*program
	layout layoutFlag
	guess  bool
	format format
}

func (p *program) parse() *cobra.Command {
	c := &parse{program: p, layout: newLayoutFlag(), format: table}
	cmd := &cobra.Command{
		Use:   "parse [--layout NAME|T/W/S | --guess] [--format table|plain|json] [UID...]",
		Short: "Show what is in a UID",
		Long: `parse takes UIDs apart by a layout and shows the time, worker ID and sequence of
each, and a picture of its bits. UIDs are arguments, or else words on standard
input. A UID tells nothing about its own layout: parse gives a hint when a UID does
not look like one of the layout's, and --guess lists the presets under which it
makes sense.

Formats:
  table  for people (the default)
  plain  UID, time, worker ID and sequence on a line, tab-separated; with --guess,
         UID, preset, time, worker ID and sequence
  json   one object per line: uid (a string), time, worker_id, machine (if the layout
         names parts), sequence; with --guess, one for each preset

parse stops with exit code 2 at the first UID that it cannot read or that the layout
cannot hold. If that is an argument, it shows none of them.`,
		Example: "  uid parse --layout uidgenerator 180363646902239241\n" +
			"  uid gen -n 3 | uid parse --format json\n" +
			"  uid parse --layout \"41ms/10/12 fields=datacenter:5,worker:5\" 1541815603606036480\n" +
			"  uid parse --guess 1541815603606036480",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE:                  func(_ *cobra.Command, args []string) error { return c.run(args) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&c.layout, "layout", layoutUsage)
	flags.BoolVar(&c.guess, "guess", false, "list the presets under which the UIDs make sense")
	flags.Var(&c.format, "format", "form of the output")
	return cmd
}

// A reader shows UIDs, one after the other.
type reader interface {
	// check returns the error with which show would refuse u.
	check(u uid.UID) error
	show(u uid.UID) error
	end() error
}

func (c *parse) run(args []string) error {
	if c.guess && c.layout.set {
		return badInput("--guess and --layout exclude each other: --guess looks at all presets")
	}
	var r reader
	switch {
	case c.guess:
		r = c.newGuesser()
	case c.format == table:
		r = &portrayer{parse: c}
	default:
		r = &splitter{parse: c, listing: newPartsListing(c.out, c.format, c.layout.Layout)}
	}
	if len(args) > 0 {
		return c.arguments(r, args)
	}
	return c.input(r)
}

func (c *parse) arguments(r reader, args []string) error {
	var all []uid.UID
	for _, arg := range args {
		u, err := uid.Parse(arg)
		if err == nil {
			err = r.check(u)
		}
		if err != nil {
			return inputError{err}
		}
		all = append(all, u)
	}
	for _, u := range all {
		if err := r.show(u); err != nil {
			return err
		}
	}
	return r.end()
}

func (c *parse) input(r reader) error {
	if isTerminal(c.stdin) {
		c.note("reading UIDs from the terminal")
	}
	in := &flushingReader{in: c.stdin, out: c.out}
	words := bufio.NewScanner(in)
	words.Split(bufio.ScanWords)
	n := 0
	for words.Scan() {
		if in.failed {
			break // the word may be cut off
		}
		n++
		u, err := uid.Parse(words.Text())
		if err == nil {
			err = r.check(u)
		}
		if err != nil {
			return badInput("UID %d of the input: %w", n, err)
		}
		if err := r.show(u); err != nil {
			return err
		}
	}
	switch err := words.Err(); err {
	case nil:
		return r.end()
	case bufio.ErrTooLong:
		return badInput("UID %d of the input: %w: it has more than %d bytes", n+1, uid.ErrSyntax, bufio.MaxScanTokenSize)
	default:
		return err
	}
}

// A flushingReader flushes the output before each read that may wait, so that whoever
// types a UID sees the answer at once.
type flushingReader struct {
	in     io.Reader
	out    *bufio.Writer
	failed bool // a Read has returned an error other than io.EOF
}

func (f *flushingReader) Read(b []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		f.failed = true
		return 0, err
	}
	n, err := f.in.Read(b)
	if err != nil && err != io.EOF {
		f.failed = true
		err = fmt.Errorf("reading the input: %w", err)
	}
	return n, err
}

// checkFit is the check of readers with a single layout.
func (c *parse) checkFit(u uid.UID) error {
	if _, err := c.layout.Tick(u); err != nil {
		return fmt.Errorf("%w; it may be of another layout, try --guess", err)
	}
	return nil
}

// splitter shows UIDs to programs.
type splitter struct {
	*parse
	listing  partsListing
	doubtful int
}

func (s *splitter) check(u uid.UID) error { return s.checkFit(u) }

func (s *splitter) show(u uid.UID) error {
	parts, err := s.layout.Parse(u)
	if err != nil {
		return err
	}
	if doubt := s.layout.Doubt(u, s.now()); doubt != "" {
		if s.doubtful == 0 {
			s.note("hint: %d: %s, try --guess", u, doubt)
		}
		s.doubtful++
	}
	return s.listing.add(parts)
}

func (s *splitter) end() error {
	switch n := s.doubtful - 1; {
	case n == 1:
		s.note("hint: one more UID looks as strange")
	case n > 1:
		s.note("hint: %d more UIDs look as strange", n)
	}
	return s.listing.end()
}

// portrayer shows UIDs to people.
type portrayer struct {
	*parse
	shown bool
}

func (p *portrayer) check(u uid.UID) error { return p.checkFit(u) }

func (p *portrayer) show(u uid.UID) error {
	if p.shown {
		p.out.WriteByte('\n')
	}
	p.shown = true
	return portray(p.out, p.layout.Layout, u, p.now())
}

func (p *portrayer) end() error { return nil }

// guesser shows the presets that fit each UID.
type guesser struct {
	*parse
	listing *listing
}

func (c *parse) newGuesser() *guesser {
	return &guesser{parse: c, listing: newListing(c.out, c.format,
		column{"uid", "UID", true}, column{"layout", "layout", false}, column{"time", "time", false},
		column{"worker_id", "worker ID", true}, column{"sequence", "sequence", true})}
}

func (g *guesser) check(uid.UID) error { return nil }

func (g *guesser) show(u uid.UID) error {
	candidates := bits.Guess(u, g.now())
	if len(candidates) == 0 {
		g.note("%d: none of the presets makes sense of it", u)
	}
	for _, c := range candidates {
		err := g.listing.add(cell{value: u}, cell{value: c.Name}, cell{value: c.Parts.Time},
			cell{value: c.Parts.WorkerID}, cell{value: c.Parts.Sequence})
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *guesser) end() error { return g.listing.end() }
