package main

import (
	"github.com/spf13/cobra"
)

func (p *program) open() *cobra.Command {
	c := &sealing{program: p}
	cmd := &cobra.Command{
		Use:   "open [--keys FILE] [--tweak NAME] [--numbers] [--format FORM] [TEXT...]",
		Short: "Turn the texts of uid seal back into UIDs",
		Long: `open turns what uid seal has made back into UIDs. The texts are arguments, or
else words on standard input.

A text proves nothing: whatever has 14 of its letters and digits and begins with
the number of a key opens to some UID. uid parse gives a hint when that UID does
not look like one of its layout's.

` + sealingHelp + `

open stops with exit code 2 at the first text that it cannot read, or whose key
it does not have. If that is an argument, it shows none of them.`,
		Example: "  uid open --keys keys --tweak orders 17e595010v5e6r\n" +
			"  uid open --keys keys --tweak orders 17e595010v5e6r | uid parse",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := c.sealer()
			if err != nil {
				return err
			}
			show, end := c.printer(func(id sealedID) string { return id.uid.String() })
			err = c.each(args, "text", func(word string) (sealedID, error) {
				u, err := s.open(word)
				return sealedID{u, word}, err
			}, show)
			if err != nil {
				return err
			}
			return end()
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	c.register(flags)
	return cmd
}
