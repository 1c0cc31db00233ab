package forms

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/opaque"
)

// KeysEnv is the environment variable with the keys that seal.
const KeysEnv = "UID_SEAL_KEYS"

// sealing is what the commands seal and open share.
type sealing struct {
	p       *cli.Program
	file    string // of keys
	tweak   string
	numbers bool
	format  cli.Format

	newKey string // file
	readAs *anyform.Form
}

// Seal returns the command that hides what UIDs tell.
func Seal(p *cli.Program) *cobra.Command {
	c := &sealing{p: p}
	cmd, flags := cli.NewCommand("seal [UID...]",
		"Turn UIDs into texts that tell nothing without a key", func(_ *cobra.Command, args []string) error {
			if c.newKey != "" {
				return c.makeKey(args)
			}
			return c.each(args, "UID", func(s *opaque.Sealer, word string) (row sealed, err error) {
				if row.uid, err = c.readAs.Read(word); err == nil {
					row.id, err = c.seal(s, row.uid)
				}
				row.plain = row.id
				return row, err
			})
		})
	cmd.Args = cobra.ArbitraryArgs
	c.register(flags)
	flags.Var(cli.ReadAsVar(&c.readAs), "form", cli.ReadAsUsage)
	flags.Var(cli.TextVar(&c.newKey, "FILE"), "new-key", "make a key")
	return cmd
}

// Open returns the command that takes back what seal has made.
func Open(p *cli.Program) *cobra.Command {
	c := &sealing{p: p}
	cmd, flags := cli.NewCommand("open [TEXT...]",
		"Turn the texts of uid seal back into UIDs", func(_ *cobra.Command, args []string) error {
			return c.each(args, "text", func(s *opaque.Sealer, word string) (sealed, error) {
				u, err := c.open(s, word)
				return sealed{u, word, u.String()}, err
			})
		})
	cmd.Args = cobra.ArbitraryArgs
	c.register(flags)
	return cmd
}

func (s *sealing) register(flags *pflag.FlagSet) {
	s.format = cli.Plain
	flags.Var(cli.TextVar(&s.file, "FILE"), "keys", "file of keys (or else "+KeysEnv+" has them)")
	flags.StringVar(&s.tweak, "tweak", "", "`NAME` of the kind of ID")
	flags.BoolVar(&s.numbers, "numbers", false, "sealed IDs are numbers")
	flags.Var(&s.format, "format", cli.FormatUsage)
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
func (s *sealing) seal(by *opaque.Sealer, u uid.UID) (string, error) {
	if !s.numbers {
		return by.Seal(u)
	}
	id, err := by.SealNumber(u)
	return id.String(), err
}

func (s *sealing) open(by *opaque.Sealer, text string) (uid.UID, error) {
	if !s.numbers {
		return by.Open(text)
	}
	id, err := anyform.Parse(text)
	if err != nil {
		return 0, err
	}
	return by.OpenNumber(id)
}

func (s *sealing) sealer() (*opaque.Sealer, error) {
	keys, source, err := s.readKeys()
	if err != nil {
		return nil, err
	}
	sealer, err := opaque.ParseSealer(keys, s.tweak)
	if err != nil {
		return nil, cli.BadInput("the keys in %s: %w", source, err)
	}
	if n := len(strings.Fields(keys)); s.numbers && n > 1 {
		return nil, cli.BadInput("--numbers is for one key, and %s has %d: "+
			"a number does not tell which of them opens it", source, n)
	}
	return sealer, nil
}

// readKeys returns the text of the keys, and where it was.
func (s *sealing) readKeys() (keys, source string, err error) {
	source, keys = KeysEnv, s.p.Getenv(KeysEnv)
	switch {
	case s.file != "" && likeKey.MatchString(s.file):
		return "", "", cli.BadInput("--keys takes a file, and this looks like a key: "+
			"put it into one, or into %s", KeysEnv)
	case s.file != "":
		b, err := os.ReadFile(s.file)
		if err != nil {
			return "", "", fmt.Errorf("read the keys: %w", err)
		}
		source, keys = s.file, string(b)
	case keys == "":
		return "", "", cli.BadInput("there are no keys: give --keys or %s; "+
			"uid seal --new-key FILE makes a key", KeysEnv)
	}
	return keys, source, nil
}

// likeKey matches what may have a key in it, and is not repeated to the user.
var likeKey = regexp.MustCompile(`[0-9A-Fa-f]{32}`)

// A sealed is a UID with its sealed ID, and which of the two is the plain answer.
type sealed struct {
	uid       uid.UID
	id, plain string
}

// each seals or opens the arguments, or else the words of the input, and shows the results; what names the kind of
// word. If an argument is bad, it shows nothing.
func (s *sealing) each(args []string, what string, turn func(*opaque.Sealer, string) (sealed, error)) error {
	sealer, err := s.sealer()
	if err != nil {
		return err
	}
	column := cli.Text("sealed", "sealed")
	if s.numbers {
		column = cli.Numbers("sealed", "sealed")
	}
	l := s.p.List(s.format, cli.Numbers("uid", "UID"), column)
	err = cli.EachWord(s.p, args, what, func(word string) (sealed, error) {
		if likeKey.MatchString(word) {
			return sealed{}, cli.BadInput("%w: these %d bytes are no %s, and look like a key: "+
				"put it into a file, or into %s", uid.ErrSyntax, len(word), what, KeysEnv)
		}
		return turn(sealer, word)
	}, func(row sealed) error {
		if s.format == cli.Plain {
			fmt.Fprintln(s.p.Out, row.plain)
		} else {
			l.Add(row.uid, row.id)
		}
		return nil
	})
	if err == nil {
		l.End()
	}
	return err
}
