package segment

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
)

// newNext returns the command that takes numbers.
func newNext(p *cli.Program) *cobra.Command {
	d, store, format := Drawing{N: 1, Step: MaxNumbers}, places.Store{Existing: true}, cli.Plain
	cmd, flags := cli.NewCommand("next TAG", "Take the next numbers of a tag",
		func(cmd *cobra.Command, args []string) error {
			if err := format.TooLong(d.N); err != nil {
				return err
			}
			d.Tag = args[0]
			if format != cli.Plain {
				d.listing = p.List(format, cli.Text("tag", "tag"), cli.Numbers("number", "number"))
			}
			return store.With(cmd.Context(), p, func(ctx context.Context, s *places.Opened) error {
				return WithCreate(d.Run(ctx, p, &store, s.Segments), d.Tag, "uid segment set --create")
			})
		})
	cmd.Args = oneTag
	store.Register(flags)
	store.RegisterSegments(flags)
	flags.VarP(cli.CountVar(&d.N), "count", "n", "how many numbers; 1e6 is a million")
	flags.Var(&format, "format", cli.FormatUsage)
	flags.BoolVar(&d.Lossy, places.LossyFlag, false, places.LossyUsage)
	return cmd
}
