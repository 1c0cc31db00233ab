// Package forms has the commands that read UIDs and need no store: parse, range, seal and open.
package forms

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
)

// parse is the command that takes UIDs apart.
type parse struct {
	p      *cli.Program
	form   cli.FormFlag
	readAs *anyform.Form
	format cli.Format

	listing  *cli.Listing // for programs
	shown    bool         // a UID to a person
	doubtful int
}

// Parse returns the command parse.
func Parse(p *cli.Program) *cobra.Command {
	c := &parse{p: p, form: cli.NewFormFlag(), format: cli.Table}
	infers := false
	cmd, flags := cli.NewCommand("parse [UID...] | --infer < ROWS", "Show what is in a UID",
		func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			switch {
			case !infers:
				return c.run(args)
			case len(args) > 0 || given("layout") || given("form") || given("format"):
				return cli.BadInput("--infer reads rows of an ID and a time from standard input, and nothing else")
			}
			return inferLayout(p)
		})
	cmd.Args = cobra.ArbitraryArgs
	flags.BoolVar(&infers, "infer", false, "show the layout of the IDs in rows \"ID TIME\"")
	flags.Var(&c.form, "layout", cli.FormUsage)
	flags.Var(cli.ReadAsVar(&c.readAs), "form", cli.ReadAsUsage)
	flags.Var(&c.format, "format", cli.FormatUsage)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cmp.Or(cli.MinusError(err), cli.FlagError(cmd, err))
	})
	return cmd
}

func (c *parse) run(args []string) error {
	show := c.portray
	if c.format != cli.Table {
		c.listing, show = c.p.ListParts(c.format, c.form.Layout), c.list
	}
	err := cli.EachWord(c.p, args, "UID", func(word string) (id int64, err error) {
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
	switch n := c.doubtful - 1; {
	case err != nil:
	case n == 1:
		c.p.Note("hint: one more UID looks as strange")
	case n > 1:
		c.p.Note("hint: %d more UIDs look as strange", n)
	}
	return err
}

// checkFit refuses a number that the form does not hold.
func (c *parse) checkFit(id int64) error {
	err := c.form.Check(id)
	switch {
	case err == nil:
		return nil
	case id < 0:
		return fmt.Errorf("%w; of numbers below 0 there are those of UidGenerator since 2024-11-20: "+
			"--layout uidgenerator reads them", err)
	}
	return fmt.Errorf("%w; it may be of another layout", err)
}

// list shows a UID to programs.
func (c *parse) list(id int64) error {
	if c.form.ByFormat(id) {
		parts, err := c.form.Format.Parse(id)
		if err == nil {
			c.hint(id, doubtOf(c.form.Format, id, c.p.Now()))
			c.listing.AddForeign(parts)
		}
		return err
	}
	parts, err := c.form.Parse(uid.UID(id))
	if err == nil {
		c.hint(id, c.form.Doubt(parts.UID, c.p.Now()))
		c.listing.AddParts(parts)
	}
	return err
}

// hint tells of the first doubt, and counts them all.
func (c *parse) hint(id int64, doubt string) {
	if doubt == "" {
		return
	}
	if c.doubtful == 0 {
		c.p.Note("hint: %d: %s", id, doubt)
	}
	c.doubtful++
}

// portray shows a UID to a person.
func (c *parse) portray(id int64) error {
	if c.shown {
		c.p.Out.WriteByte('\n')
	}
	c.shown = true
	if c.form.ByFormat(id) {
		return portrayForeign(c.p.Out, c.form.Format, id, c.p.Now())
	}
	return portrayUID(c.p.Out, c.form.Layout, uid.UID(id), c.p.Now())
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
