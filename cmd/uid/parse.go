package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/foreign"
)

// parse is the command that takes UIDs apart.
type parse struct {
	*program
	form   formFlag
	readAs readAsFlag
	guess  bool
	format format
}

func (p *program) parse() *cobra.Command {
	c := &parse{program: p, form: newFormFlag(), format: table}
	cmd := &cobra.Command{
		Use:   "parse [--layout NAME|T/W/S | --guess] [--form FORM] [--format table|plain|json] [UID...]",
		Short: "Show what is in a UID",
		Long: `parse takes UIDs apart by a layout and shows the time, worker ID and sequence of
each, and a picture of its bits. UIDs are arguments, or else words on standard
input: in decimal, in base32 (05067s0001009), also behind a prefix
(order_05067s0001009), or as a UUID of any namespace. 13 digits that do not begin with 0
are decimal. Texts in base58 and base62 do not tell what they are: --form does. It also
takes prefix=NAME and uuid=NAMESPACE, for which all UIDs have to be of that prefix or
namespace. Before arguments below 0 put --, or they are taken for flags.

A UID tells nothing about its own layout: parse gives a hint when a UID does not look
like one of the layout's. --guess lists what it could be, of all presets and other
generators' forms under which its time makes sense, and how sure that is:

  likely       two or all of: its time is of the last 30 days; its worker ID, and
               its sequence, is in the lowest 32nd of its field
  possible     one of these
  widths only  none: it fits, as many numbers would

Formats:
  table  for people (the default)
  plain  UID, time, worker ID and sequence on a line, tab-separated; with --guess,
         UID, name, time, worker ID, sequence, how sure, and why
  json   one object per line: uid (a string), time, worker_id, machine (if the layout
         names parts), sequence; with --guess, one for each guess, with layout,
         confidence and signs

parse stops with exit code 2 at the first UID that it cannot read or that the layout
cannot hold. If that is an argument, it shows none of them. With --guess the exit code
is 1 when a number could be nothing of all that.`,
		Example: "  uid parse --layout uidgenerator 180363646902239241\n" +
			"  uid parse --layout uidgenerator -- -7053003394352373760\n" +
			"  uid gen -n 3 | uid parse --format json\n" +
			"  uid parse --layout discord 90339695967350784\n" +
			"  uid parse --layout sonyflake 417256906266053127\n" +
			"  uid parse --guess 1541815603606036480",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE:                  func(_ *cobra.Command, args []string) error { return c.run(args) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&c.form, "layout", formUsage)
	flags.Var(&c.readAs, "form", readAsUsage)
	flags.BoolVar(&c.guess, "guess", false, "list what the UIDs could be")
	flags.Var(&c.format, "format", "form of the output")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cmp.Or(minusError(err), flagError(cmd, err))
	})
	return cmd
}

// A reader shows UIDs, one after the other. They are below 0 in some forms.
type reader interface {
	// check returns the error with which show would refuse id.
	check(id int64) error
	show(id int64) error
	end() error
}

func (c *parse) run(args []string) error {
	if c.guess && c.form.set {
		return badInput("--guess and --layout exclude each other: --guess looks at all that there are")
	}
	var r reader
	switch {
	case c.guess:
		r = c.newGuesser()
	case c.format == table:
		r = &portrayer{parse: c}
	default:
		r = &splitter{parse: c, listing: newPartsListing(c.out, c.format, c.form.Layout)}
	}
	err := eachWord(c.program, args, "UID", func(word string) (int64, error) {
		id, err := c.readAs.number64(word)
		if err == nil {
			err = r.check(id)
		}
		return id, err
	}, r.show)
	if err != nil {
		return err
	}
	return r.end()
}

// checkFit is the check of readers with a single form.
func (c *parse) checkFit(id int64) error {
	err := c.form.check(id)
	switch {
	case err == nil:
		return nil
	case id < 0:
		return fmt.Errorf("%w; of numbers below 0 there are those of UidGenerator since 2024-11-20: --layout uidgenerator reads them", err)
	}
	return fmt.Errorf("%w; it may be of another layout, try --guess", err)
}

// splitter shows UIDs to programs.
type splitter struct {
	*parse
	listing  partsListing
	doubtful int
}

func (s *splitter) check(id int64) error { return s.checkFit(id) }

func (s *splitter) show(id int64) error {
	if s.form.byFormat(id) {
		parts, err := s.form.format.Parse(id)
		if err != nil {
			return err
		}
		s.hint(id, foreign.Doubt(s.form.format, id, s.now()))
		return s.listing.addForeign(parts)
	}
	parts, err := s.form.Parse(uid.UID(id))
	if err != nil {
		return err
	}
	s.hint(id, s.form.Doubt(parts.UID, s.now()))
	return s.listing.add(parts)
}

// hint tells of the first doubt, and counts them all.
func (s *splitter) hint(id int64, doubt string) {
	if doubt == "" {
		return
	}
	if s.doubtful == 0 {
		s.note("hint: %d: %s, try --guess", id, doubt)
	}
	s.doubtful++
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

func (p *portrayer) check(id int64) error { return p.checkFit(id) }

func (p *portrayer) show(id int64) error {
	if p.shown {
		p.out.WriteByte('\n')
	}
	p.shown = true
	if p.form.byFormat(id) {
		return portrayForeign(p.out, p.form.format, id, p.now())
	}
	return portray(p.out, p.form.Layout, uid.UID(id), p.now())
}

func (p *portrayer) end() error { return nil }
