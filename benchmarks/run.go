package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/spf13/cobra"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/measure"
	"github.com/uidgen/uid/benchmarks/server"
	"github.com/uidgen/uid/benchmarks/subject"
)

var profiles = map[string]func() measure.Profile{
	"full":  measure.Full,
	"quick": measure.Quick,
	"smoke": measure.Smoke,
}

func runCommand() *cobra.Command {
	var profile, out, pattern string
	var phases []string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Measure, and write the results as text that benchstat reads",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			choose, ok := profiles[profile]
			if !ok {
				return fmt.Errorf("--profile %q: there are full, quick and smoke", profile)
			}
			if out == "" {
				out = filepath.Join("results", profile+".txt")
			}
			return run(cmd.Context(), choose(), pattern, phases, out)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&profile, "profile", "full", "how much is measured: full, quick or smoke")
	flags.StringVar(&out, "out", "", "file of the results (default results/PROFILE.txt)")
	flags.StringVar(&pattern, "subjects", "", "measure only subjects whose name matches this regular expression")
	flags.StringSliceVar(&phases, "phases", measure.Phases, "what is measured")
	return cmd
}

func run(ctx context.Context, p measure.Profile, pattern string, phases []string, out string) (err error) {
	var servers server.Set
	defer servers.Stop()
	all := append(subject.Local(), subject.Served(servers.MariaDB, servers.Redis)...)
	subjects, err := subject.Matching(all, pattern)
	if err != nil {
		return err
	}
	tasks, err := measure.Plan(p, subjects, phases, servers.MariaDB)
	if err != nil {
		return err
	}
	config, err := machine(ctx, p, subjects, phases, &servers)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	// An aborted run leaves the former results alone.
	f, err := os.CreateTemp(filepath.Dir(out), "run-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	recorder := &measure.Recorder{Out: benchfmt.NewWriter(f), Config: config}
	began := time.Now()
	progress := newProgress(os.Stderr, tasks)
	for _, task := range tasks {
		if err := ctx.Err(); err != nil {
			progress.end()
			return context.Cause(ctx)
		}
		progress.begin(task)
		if err := task.Run(recorder); err != nil {
			progress.end()
			return err
		}
		progress.done(task)
	}
	progress.end()
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), out); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d measurements in %v: %s\n", len(tasks), time.Since(began).Round(time.Second), out)
	return nil
}

// machine describes where and how the results come about. To do so it starts the servers
// that the run needs, before anything is measured.
func machine(ctx context.Context, p measure.Profile, subjects []subject.Subject, phases []string, servers *server.Set) ([]benchfmt.Config, error) {
	config := localMachine(p)
	add := func(key, value string) {
		config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
	}
	var versions []string
	for _, s := range subjects {
		if v := s.Version(); v != "" && s.Kind == subject.Peer {
			versions = append(versions, s.Module+"@"+v)
		}
	}
	add("peers", strings.Join(slices.Compact(versions), " "))
	needs := func(e subject.Engine) bool {
		return slices.ContainsFunc(subjects, func(s subject.Subject) bool { return s.Engine == e })
	}
	if slices.Contains(phases, "insert") || needs(subject.MariaDB) {
		db, err := servers.MariaDB()
		if err != nil {
			return nil, err
		}
		version, err := versionOf(ctx, db)
		if err != nil {
			return nil, err
		}
		add("database", version+" "+strings.Join(server.MariaDBArgs, " "))
	}
	if needs(subject.Redis) {
		client, err := servers.Redis()
		if err != nil {
			return nil, err
		}
		info, err := client.InfoMap(ctx, "server").Result()
		if err != nil {
			return nil, fmt.Errorf("version of Redis: %w", err)
		}
		add("redis", info["Server"]["redis_version"]+" --save '' --appendonly no")
	}
	return config, nil
}

func versionOf(ctx context.Context, db *sqlx.DB) (version string, err error) {
	err = db.GetContext(ctx, &version, "SELECT VERSION()")
	return version, err
}
