package main

import (
	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
)

func (p *program) layouts() *cobra.Command {
	f := table
	cmd := &cobra.Command{
		Use:   "layouts [--format table|plain|json]",
		Short: "List the preset layouts",
		Long: `layouts lists the layouts that --layout knows by name: the bits of time, worker and
sequence, when tick 0 and the last tick begin, how many worker IDs there are, and
how many UIDs a second each worker can sustain. js is short for javascript; bwmarrin
and leaf are other names of twitter.

uidgenerator, discord, instagram and yitter are there to read the IDs of these. parse
also knows the forms sonyflake and sonyflake2, which are no layouts.`,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(*cobra.Command, []string) error {
			l := newListing(p.out, f, column{"name", "name", false}, column{"layout", "bits", false},
				column{"epoch", "epoch", false}, column{"full", "full", false},
				column{"worker_ids", "worker IDs", true}, column{"uids_per_second", "UIDs/s", true})
			for _, preset := range bits.Presets() {
				err := l.add(cell{value: preset.Name}, layoutCell(preset.Layout), cell{value: preset.Layout.Epoch()},
					cell{value: preset.Layout.Expires()}, number(float64(preset.Layout.MaxWorkerID()+1)), number(perSecond(preset.Layout)))
				if err != nil {
					return err
				}
			}
			return l.end()
		},
	}
	cmd.Flags().Var(&f, "format", "form of the output")
	return cmd
}

// layoutCell shows programs a layout's full description, and people its widths.
func layoutCell(l bits.Layout) cell {
	return cell{value: l.String(), text: short(l)}
}
