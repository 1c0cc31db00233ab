// Command benchmarks measures the generators of github.com/uidgen/uid, other libraries,
// servers that hand out IDs, and the limits, and draws the results:
//
//	go run . run --profile full --out results/full.txt    measures
//	go run . draw results/full.txt                        draws the charts, and fills in the tables of the documents
//	go run . show results/full.txt                        prints the tables
//
// The Makefile of the parent folder has the usual calls. The results are in the Go
// benchmark format, which benchstat reads.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use:           "benchmarks",
		Short:         "Measure ways to make unique IDs, and draw the results",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(runCommand(), drawCommand(), showCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "benchmarks: %v\n", err)
		stop()
		os.Exit(1)
	}
}
