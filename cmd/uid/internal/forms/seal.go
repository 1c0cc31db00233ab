package forms

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/opaque"
)

// KeysEnv is the environment variable with the keys that seal.
const KeysEnv = "UID_SEAL_KEYS"

// sealing is the command seal, or open.
type sealing struct {
	p       *cli.Program
	opening bool
	file    string // of keys
	tweak   string
	numbers bool
	format  cli.Format

	// Of seal.
	newKey string // file
	readAs *anyform.Form
}

// Seal returns the command that hides what UIDs tell.
func Seal(p *cli.Program) *cobra.Command {
	c := &sealing{p: p}
	cmd := c.command("seal [UID...]", "Turn UIDs into texts that tell nothing without a key")
	cmd.Flags().Var(cli.ReadAsVar(&c.readAs), "form", cli.ReadAsUsage)
	cmd.Flags().Var(cli.TextVar(&c.newKey, "FILE"), "new-key", "make a key")
	return cmd
}

// Open returns the command that takes back what seal has made.
func Open(p *cli.Program) *cobra.Command {
	c := &sealing{p: p, opening: true}
	return c.command("open [TEXT...]", "Turn the texts of uid seal back into UIDs")
}

func (c *sealing) command(use, short string) *cobra.Command {
	c.format = cli.Plain
	cmd, flags := cli.NewCommand(use, short, func(_ *cobra.Command, args []string) error {
		if c.newKey != "" {
			return c.makeKey(args)
		}
		return c.each(args)
	})
	cmd.Args = cobra.ArbitraryArgs
	flags.Var(cli.TextVar(&c.file, "FILE"), "keys", "file of keys (or else "+KeysEnv+" has them)")
	flags.StringVar(&c.tweak, "tweak", "", "`NAME` of the kind of ID")
	flags.BoolVar(&c.numbers, "numbers", false, "sealed IDs are numbers")
	flags.Var(&c.format, "format", cli.FormatUsage)
	return cmd
}

// makeKey makes a file with a new key.
func (c *sealing) makeKey(args []string) error {
	if c.file != "" || c.numbers || c.tweak != "" || c.format != cli.Plain || len(args) > 0 {
		return cli.BadInput("--new-key goes with no other flag and no UID")
	}
	if likeKey.MatchString(c.newKey) {
		return cli.BadInput("--new-key takes the name of a file, and this looks like a key")
	}
	f, err := os.OpenFile(c.newKey, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	_, err = fmt.Fprintf(f, "1:%x\n", secret)
	if err := cmp.Or(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("make a key: %w", err)
	}
	c.p.Note("%s has a new key: keep a copy, without it nothing that it seals can be opened", c.newKey)
	return nil
}

// seal and open take the form that --numbers says.
func (c *sealing) seal(by *opaque.Sealer, u uid.UID) (string, error) {
	if !c.numbers {
		return by.Seal(u)
	}
	id, err := by.SealNumber(u)
	return id.String(), err
}

func (c *sealing) open(by *opaque.Sealer, text string) (uid.UID, error) {
	if !c.numbers {
		return by.Open(text)
	}
	id, err := anyform.Parse(text)
	if err != nil {
		return 0, err
	}
	return by.OpenNumber(id)
}

func (c *sealing) sealer() (*opaque.Sealer, error) {
	keys, source, err := c.readKeys()
	if err != nil {
		return nil, err
	}
	sealer, err := opaque.ParseSealer(keys, c.tweak)
	if err != nil {
		return nil, cli.BadInput("the keys in %s: %w", source, err)
	}
	if n := len(strings.Fields(keys)); c.numbers && n > 1 {
		return nil, cli.BadInput("--numbers is for one key, and %s has %d: "+
			"a number does not tell which of them opens it", source, n)
	}
	return sealer, nil
}

// readKeys returns the text of the keys, and where it was.
func (c *sealing) readKeys() (keys, source string, err error) {
	source, keys = KeysEnv, c.p.Getenv(KeysEnv)
	switch {
	case c.file != "" && likeKey.MatchString(c.file):
		return "", "", cli.BadInput("--keys takes a file, and this looks like a key: "+
			"put it into one, or into %s", KeysEnv)
	case c.file != "":
		b, err := os.ReadFile(c.file)
		if err != nil {
			return "", "", fmt.Errorf("read the keys: %w", err)
		}
		source, keys = c.file, string(b)
	case keys == "":
		return "", "", cli.BadInput("there are no keys: give --keys or %s; "+
			"uid seal --new-key FILE makes a key", KeysEnv)
	}
	return keys, source, nil
}

// likeKey matches what may have a key in it, and is not repeated to the user.
var likeKey = regexp.MustCompile(`[0-9A-Fa-f]{32}`)

// A sealed is a UID with its sealed ID.
type sealed struct {
	uid uid.UID
	id  string
}

// each seals or opens the arguments, or else the words of the input, and shows the results. If an argument is bad, it
// shows nothing.
func (c *sealing) each(args []string) error {
	sealer, err := c.sealer()
	if err != nil {
		return err
	}
	what, column := "UID", cli.Text("sealed", "sealed")
	if c.opening {
		what = "text"
	}
	if c.numbers {
		column = cli.Numbers("sealed", "sealed")
	}
	l := c.p.List(c.format, cli.Numbers("uid", "UID"), column)
	err = cli.EachWord(c.p, args, what, func(word string) (row sealed, err error) {
		if likeKey.MatchString(word) {
			return row, cli.BadInput("%w: these %d bytes are no %s, and look like a key: "+
				"put it into a file, or into %s", uid.ErrSyntax, len(word), what, KeysEnv)
		}
		if c.opening {
			row.id = word
			row.uid, err = c.open(sealer, word)
		} else if row.uid, err = c.readAs.Read(word); err == nil {
			row.id, err = c.seal(sealer, row.uid)
		}
		return row, err
	}, func(row sealed) error {
		switch {
		case c.format != cli.Plain:
			l.Add(row.uid, row.id)
		case c.opening:
			c.p.Out.Number(int64(row.uid))
		default:
			fmt.Fprintln(c.p.Out, row.id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	l.End()
	if c.opening && c.p.Out.Flush() == nil {
		c.p.Note("a wrong key, or tweak, opens to a wrong UID: nothing in a sealed ID tells")
	}
	return nil
}
