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
			s, err := c.sealer()
			if err != nil {
				return err
			}
			return c.each(args, "UID", func(word string) (id sealedID, err error) {
				if id.uid, err = c.readAs.Read(word); err == nil {
					id.sealed, err = s.seal(id.uid)
				}
				return id, err
			}, func(id sealedID) string { return id.sealed })
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
			s, err := c.sealer()
			if err != nil {
				return err
			}
			return c.each(args, "text", func(word string) (sealedID, error) {
				u, err := s.open(word)
				return sealedID{u, word}, err
			}, func(id sealedID) string { return id.uid.String() })
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

// A sealer seals and opens UIDs, in one of two forms.
type sealer struct {
	seal func(uid.UID) (string, error)
	open func(string) (uid.UID, error)
}

func (s *sealing) sealer() (sealer, error) {
	keys, source, err := s.readKeys()
	if err != nil {
		return sealer{}, err
	}
	texts, err := opaque.ParseSealer(keys, s.tweak)
	if err != nil {
		return sealer{}, cli.BadInput("the keys in %s: %w", source, err)
	}
	if !s.numbers {
		return sealer{texts.Seal, texts.Open}, nil
	}
	if n := len(strings.Fields(keys)); n > 1 {
		return sealer{}, cli.BadInput("--numbers is for one key, and %s has %d: "+
			"a number does not tell which of them opens it", source, n)
	}
	return sealer{
		seal: func(u uid.UID) (string, error) {
			sealed, err := texts.SealNumber(u)
			return sealed.String(), err
		},
		open: func(text string) (uid.UID, error) {
			sealed, err := anyform.Parse(text)
			if err != nil {
				return 0, err
			}
			return texts.OpenNumber(sealed)
		},
	}, nil
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

// A sealedID is a UID and its sealed form.
type sealedID struct {
	uid    uid.UID
	sealed string
}

// each seals or opens the arguments, or else the words of the input, and shows the results, of which the plain form
// has the text; what names the kind of word. If an argument is bad, it shows nothing.
func (s *sealing) each(args []string, what string, turn func(string) (sealedID, error),
	text func(sealedID) string) error {
	checked := func(word string) (sealedID, error) {
		if likeKey.MatchString(word) {
			return sealedID{}, cli.BadInput("%w: these %d bytes are no %s, and look like a key: "+
				"put it into a file, or into %s", uid.ErrSyntax, len(word), what, KeysEnv)
		}
		return turn(word)
	}
	sealed := cli.Text("sealed", "sealed")
	if s.numbers {
		sealed = cli.Numbers("sealed", "sealed")
	}
	l := s.p.List(s.format, cli.Numbers("uid", "UID"), sealed)
	err := cli.EachWord(s.p, args, what, checked, func(id sealedID) error {
		if s.format == cli.Plain {
			fmt.Fprintln(s.p.Out, text(id))
		} else {
			l.Add(id.uid, id.sealed)
		}
		return nil
	})
	if err == nil {
		l.End()
	}
	return err
}
