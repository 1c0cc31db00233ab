package main

import (
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/opaque"
)

// keysEnv is the environment variable with the keys that seal.
const keysEnv = "UID_SEAL_KEYS"

// sealing is what the commands seal and open share.
type sealing struct {
	*program
	file    string // of keys
	fileSet bool
	tweak   string
	numbers bool
	format  format
}

func (s *sealing) register(flags *pflag.FlagSet) {
	s.format = plain
	flags.Var(&setString{&s.file, &s.fileSet, "FILE"}, "keys", "file of keys (or else "+keysEnv+" has them)")
	flags.StringVar(&s.tweak, "tweak", "", "`NAME` of the kind of ID")
	flags.BoolVar(&s.numbers, "numbers", false, "sealed IDs are numbers")
	flags.Var(&s.format, "format", "form of the output")
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
	texts, err := opaque.New(opaque.Config{Keys: keys, Current: keys[0].Number, Tweak: s.tweak})
	if err != nil {
		return sealer{}, badInput("the keys in %s: %w", source, err)
	}
	if !s.numbers {
		return sealer{texts.Seal, texts.Open}, nil
	}
	if len(keys) > 1 {
		return sealer{}, badInput("--numbers is for one key, and %s has %d: a number does not tell which of them opens it", source, len(keys))
	}
	numbers, err := opaque.NewCipher(keys[0].Secret, s.tweak)
	if err != nil {
		return sealer{}, err
	}
	return sealer{
		seal: func(u uid.UID) (string, error) {
			sealed, err := numbers.Encrypt(u)
			return sealed.String(), err
		},
		open: func(text string) (uid.UID, error) {
			sealed, err := anyform.Parse(text)
			if err != nil {
				return 0, err
			}
			return numbers.Decrypt(sealed)
		},
	}, nil
}

// readKeys returns the keys, at least one, and where they were.
func (s *sealing) readKeys() (keys []opaque.Key, source string, err error) {
	source, text := keysEnv, s.getenv(keysEnv)
	switch {
	case s.fileSet && likeKey.MatchString(s.file):
		return nil, "", badInput("--keys takes a file, and this looks like a key: put it into one, or into %s", keysEnv)
	case s.fileSet:
		b, err := os.ReadFile(s.file)
		if err != nil {
			return nil, "", fmt.Errorf("read the keys: %w", err)
		}
		source, text = s.file, string(b)
	case text == "":
		return nil, "", badInput("there are no keys: give --keys or %s; uid seal --new-key FILE makes a key", keysEnv)
	}
	keys, err = opaque.ParseKeys(text)
	if err != nil {
		return nil, "", badInput("the keys in %s: %w", source, err)
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

// each seals or opens the arguments, or else the words of the input, and shows the results; what
// names the kind of word. If an argument is bad, it shows nothing.
func (s *sealing) each(args []string, what string, turn func(string) (sealedID, error), show func(sealedID) error) error {
	checked := func(word string) (sealedID, error) {
		if likeKey.MatchString(word) {
			return sealedID{}, badInput("%w: these %d bytes are no %s, and look like a key: put it into a file, or into %s", uid.ErrSyntax, len(word), what, keysEnv)
		}
		return turn(word)
	}
	return eachWord(s.program, args, what, checked, show)
}

// printer returns a function that shows an ID, and one to call at the end. The plain form shows what
// result returns.
func (s *sealing) printer(result func(sealedID) string) (show func(sealedID) error, end func() error) {
	if s.format == plain {
		return func(id sealedID) error {
			_, err := fmt.Fprintln(s.out, result(id))
			return err
		}, func() error { return nil }
	}
	l := newListing(s.out, s.format, column{"uid", "UID", true}, column{"sealed", "sealed", s.numbers})
	return func(id sealedID) error {
		return l.add(cell{value: id.uid}, cell{value: id.sealed})
	}, l.end
}
