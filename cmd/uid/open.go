package main

import (
	"github.com/spf13/cobra"
)

func (p *program) open() *cobra.Command {
	c := &sealing{program: p}
	cmd := &cobra.Command{
		Use:                   "open [--keys FILE] [--tweak NAME] [--numbers] [--format FORM] [TEXT...]",
		Short:                 "Turn the texts of uid seal back into UIDs",
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
