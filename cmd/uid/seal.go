package main

import (
	"crypto/rand"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// seal is the command that hides what UIDs tell.
type seal struct {
	sealing
	newKey    string // file
	newKeySet bool
	readAs    readAsFlag
}

func (p *program) seal() *cobra.Command {
	c := &seal{sealing: sealing{program: p}}
	cmd := &cobra.Command{
		Use:                   "seal [--keys FILE] [--tweak NAME] [--numbers] [--format FORM] [UID...]\n  uid seal --new-key FILE",
		Short:                 "Turn UIDs into texts that tell nothing without a key",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if c.newKeySet {
				return c.makeKey(args)
			}
			return c.run(args)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	c.register(flags)
	flags.Var(&c.readAs, "form", readAsUsage)
	flags.Var(&setString{&c.newKey, &c.newKeySet, "FILE"}, "new-key", "make a key")
	return cmd
}

func (c *seal) run(args []string) error {
	s, err := c.sealer()
	if err != nil {
		return err
	}
	show, end := c.printer(func(id sealedID) string { return id.sealed })
	err = c.each(args, "UID", func(word string) (id sealedID, err error) {
		if id.uid, err = c.readAs.parse(word); err == nil {
			id.sealed, err = s.seal(id.uid)
		}
		return id, err
	}, show)
	if err != nil {
		return err
	}
	return end()
}

// makeKey makes a file with a new key.
func (c *seal) makeKey(args []string) error {
	if c.fileSet || c.numbers || c.tweak != "" || c.format != plain || len(args) > 0 {
		return badInput("--new-key goes with no other flag and no UID")
	}
	if likeKey.MatchString(c.newKey) {
		return badInput("--new-key takes the name of a file, and this looks like a key")
	}
	f, err := os.OpenFile(c.newKey, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	_, err = fmt.Fprintf(f, "1:%x\n", secret)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("make a key: %w", err)
	}
	c.note("%s has a new key: keep a copy, without it nothing that it seals can be opened", c.newKey)
	return nil
}
