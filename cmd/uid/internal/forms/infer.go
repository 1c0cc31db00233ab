package forms

import (
	"fmt"
	"time"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/infer"
)

// inferLayout shows the layout of the IDs in the rows of the input, as --layout takes it.
func inferLayout(p *cli.Program) error {
	rows, err := infer.ReadRows(p.Stdin)
	if err != nil {
		return cli.InputError{Err: err}
	}
	r, err := infer.Layout(rows)
	if err != nil {
		return cli.InputError{Err: err}
	}
	switch {
	case r.Name == "":
		fmt.Fprintln(p.Out, r.Layout)
		p.Note("hint: times do not tell worker ID and sequence apart: together they have %d bits; the epoch is right "+
			"to %v", r.Layout.SequenceBits(), max(time.Second, r.Spread.Round(time.Second)))
	case r.Zone != 0:
		fmt.Fprintln(p.Out, r.Name)
		zone := time.FixedZone("", int(r.Zone.Seconds()))
		p.Note("hint: that is so if the rows' times are of UTC%s", time.Time{}.In(zone).Format("-07:00"))
	default:
		fmt.Fprintln(p.Out, r.Name)
	}
	return nil
}
