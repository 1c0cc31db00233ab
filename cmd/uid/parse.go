package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/cmd/uid/internal/picture"
)

// parse is the command that takes UIDs apart.
type parse struct {
	*program
	form   formFlag
	readAs *anyform.Form
	shown  bool // a UID to a person
	format format
}

func (p *program) parse() *cobra.Command {
	c := &parse{program: p, form: newFormFlag(), format: table}
	cmd, flags := newCommand("parse [UID...]",
		"Show what is in a UID", func(_ *cobra.Command, args []string) error { return c.run(args) })
	cmd.Args = cobra.ArbitraryArgs
	flags.Var(&c.form, "layout", formUsage)
	flags.Var(readAsVar(&c.readAs), "form", readAsUsage)
	flags.Var(&c.format, "format", formatUsage)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cmp.Or(minusError(err), flagError(cmd, err))
	})
	return cmd
}

func (c *parse) run(args []string) error {
	show, end := c.portray, func() {}
	if c.format != table {
		s := &splitter{parse: c, listing: newPartsListing(c.out, c.format, c.form.Layout)}
		show, end = s.show, s.end
	}
	err := eachWord(c.program, args, "UID", func(word string) (id int64, err error) {
		if strings.HasPrefix(word, "-") { // numbers are below 0 in some forms
			id, err = parseNegative(word)
		} else {
			var u uid.UID
			u, err = c.readAs.Read(word)
			id = int64(u)
		}
		if err == nil {
			err = c.checkFit(id)
		}
		return id, err
	}, show)
	if err == nil {
		end()
	}
	return err
}

// checkFit refuses a number that the form does not hold.
func (c *parse) checkFit(id int64) error {
	err := c.form.check(id)
	switch {
	case err == nil:
		return nil
	case id < 0:
		return fmt.Errorf("%w; of numbers below 0 there are those of UidGenerator since 2024-11-20: "+
			"--layout uidgenerator reads them", err)
	}
	return fmt.Errorf("%w; it may be of another layout", err)
}

// splitter shows UIDs to programs.
type splitter struct {
	*parse
	listing  partsListing
	doubtful int
}

func (s *splitter) show(id int64) error {
	if s.form.byFormat(id) {
		parts, err := s.form.format.Parse(id)
		if err != nil {
			return err
		}
		s.hint(id, picture.Doubt(s.form.format, id, s.now()))
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
		s.note("hint: %d: %s", id, doubt)
	}
	s.doubtful++
}

func (s *splitter) end() {
	switch n := s.doubtful - 1; {
	case n == 1:
		s.note("hint: one more UID looks as strange")
	case n > 1:
		s.note("hint: %d more UIDs look as strange", n)
	}
	s.listing.end()
}

// portray shows a UID to a person.
func (c *parse) portray(id int64) error {
	if c.shown {
		c.out.WriteByte('\n')
	}
	c.shown = true
	if c.form.byFormat(id) {
		return picture.Foreign(c.out, c.form.format, id, c.now())
	}
	return picture.UID(c.out, c.form.Layout, uid.UID(id), c.now())
}

// parseNegative reads the decimal text of a negative number, without leading zeros.
func parseNegative(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err == nil && strconv.FormatInt(n, 10) == word {
		return n, nil
	}
	if _, err := uid.Parse(strings.TrimPrefix(word, "-")); errors.Is(err, uid.ErrRange) {
		return 0, fmt.Errorf("%w: %.40q is not within -9223372036854775808 and 9223372036854775807", uid.ErrRange, word)
	}
	return 0, fmt.Errorf("%w: %.40q is not a decimal number", uid.ErrSyntax, word)
}
