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
	cmd, flags := newCommand("parse [--layout NAME|T/W/S | --guess] [--form FORM] [--format table|plain|json] [UID...]", "Show what is in a UID",
		func(_ *cobra.Command, args []string) error { return c.run(args) })
	cmd.Args = cobra.ArbitraryArgs
	flags.Var(&c.form, "layout", formUsage)
	flags.Var(&c.readAs, "form", readAsUsage)
	flags.BoolVar(&c.guess, "guess", false, "list what the UIDs could be")
	flags.Var(&c.format, "format", formatUsage)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cmp.Or(minusError(err), flagError(cmd, err)) })
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
		s.listing.addForeign(parts)
		return nil
	}
	parts, err := s.form.Parse(uid.UID(id))
	if err != nil {
		return err
	}
	s.hint(id, s.form.Doubt(parts.UID, s.now()))
	s.listing.add(parts)
	return nil
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
	s.listing.end()
	return nil
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
