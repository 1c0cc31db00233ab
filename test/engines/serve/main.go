package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/test/engines/cluster"
)

func main() {
	cost := flag.Bool("cost", false, "measure what a UID costs, and write docs/serve.md")
	flag.Parse()
	redis.SetLogger(silent{})
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() { // servers die with this process
		<-interrupted
		os.Exit(1)
	}()
	if err := run(*cost); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(cost bool) error {
	dir, err := os.MkdirTemp("", "uid-serve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command := filepath.Join(dir, "uid")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/uidgen/uid/cmd/uid").CombinedOutput(); err != nil {
		return fmt.Errorf("build the command: %w\n%s", err, out)
	}
	if cost {
		return measure(command)
	}
	began := time.Now()
	db, err := cluster.StartMariaDB("serve")
	if err != nil {
		return err
	}
	defer db.Close()
	fmt.Printf("MariaDB, two servers; ready after %.1f s\n", time.Since(began).Seconds())
	if err := errors.Join(disturbed(command, db), planted(command, db)); err != nil {
		return err
	}
	fmt.Printf("all in %.0f s\n", time.Since(began).Seconds())
	return nil
}
