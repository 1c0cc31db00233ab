package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/benchmarks/report"
)

func drawCommand() *cobra.Command {
	var charts string
	var documents []string
	cmd := &cobra.Command{
		Use:   "draw FILE",
		Short: "Draw the charts of a file of results, and fill in the tables of the documents",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			results, err := report.Read(args[0])
			if err != nil {
				return err
			}
			if err := report.Draw(results, charts); err != nil {
				return err
			}
			for _, d := range documents {
				if err := report.FillIn(results, d); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&charts, "charts", "charts", "folder of the charts")
	cmd.Flags().StringSliceVar(&documents, "documents", []string{"README.md", "../README.md", "../docs/performance.md"}, "documents whose marked parts are written anew")
	return cmd
}

func showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "Print the tables of a file of results",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			results, err := report.Read(args[0])
			if err != nil {
				return err
			}
			for _, t := range report.Tables {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", t.Title)
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", t.Text(results))
			}
			return nil
		},
	}
}
