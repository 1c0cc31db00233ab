package opaque

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

// ErrUnknownKey is returned when a text names a key that the Sealer does not have.
var ErrUnknownKey = errors.New("unknown key")

// Config says to [New] how UIDs are sealed.
type Config struct {
	// Keys are those that open texts. Their numbers and secrets have to differ.
	Keys []Key

	// Current is the number of the key that seals.
	Current int

	// Tweak is the name of the kind of ID, such as "orders". It is no secret, has at most 255 bytes and may be empty.
	// Never change it: texts would open to other UIDs, without an error.
	Tweak string
}

// textLength is the length of each text.
const textLength = 1 + 13 // form.Base32's

// digits are those of Crockford's base32, in the order of their values.
const digits = "0123456789abcdefghjkmnpqrstvwxyz"

// A Sealer turns UIDs into texts and back. A text is 14 lower-case letters and digits: one for the number of the key,
// and the sealed UID as form.Base32 writes it. Make a Sealer with [New] or [ParseSealer].
type Sealer struct {
	current int
	ciphers [maxKeyNumber + 1]*ff1 // by number; nil where there is no key
	tweak   string
}

// New returns a Sealer. It keeps no reference to the secrets' bytes. It returns ErrConfig when there is no key or none
// with the Current number, when two keys share their number or their secret, when a secret has only zeros, and when a
// number, a secret or the tweak is out of its bounds.
func New(cfg Config) (*Sealer, error) {
	s := &Sealer{current: cfg.Current, tweak: cfg.Tweak}
	for i, k := range cfg.Keys {
		if k.Number < 1 || k.Number > maxKeyNumber {
			return nil, fmt.Errorf("%w: key number %d is not from 1 to %d", uid.ErrConfig, k.Number, maxKeyNumber)
		}
		if s.ciphers[k.Number] != nil {
			return nil, fmt.Errorf("%w: two keys have the number %d", uid.ErrConfig, k.Number)
		}
		for _, other := range cfg.Keys[:i] {
			if bytes.Equal(k.Secret, other.Secret) {
				return nil, fmt.Errorf("%w: the keys %d and %d have the same secret",
					uid.ErrConfig, other.Number, k.Number)
			}
		}
		c, err := newCipher(k.Secret, cfg.Tweak)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", k.Number, err)
		}
		s.ciphers[k.Number] = c
	}
	if cfg.Current < 1 || cfg.Current > maxKeyNumber || s.ciphers[cfg.Current] == nil {
		return nil, fmt.Errorf("%w: the current key is to be number %d, known are %s",
			uid.ErrConfig, cfg.Current, s.numbers())
	}
	return s, nil
}

// ParseSealer returns a Sealer with the keys of a text, the first of which is the current one. The text is that of
// UID_SEAL_KEYS: words NUMBER:HEX between white space. ParseSealer returns ErrSyntax when a word is something else, and
// when there is none, and the errors of [New]. No error has a part of the text.
func ParseSealer(keys, tweak string) (*Sealer, error) {
	parsed, err := parseKeys(keys)
	if err != nil {
		return nil, err
	}
	return New(Config{Keys: parsed, Current: parsed[0].Number, Tweak: tweak})
}

// Seal returns the text of u under the current key. It returns ErrRange when u is negative.
func (s *Sealer) Seal(u uid.UID) (string, error) {
	sealed, err := s.SealNumber(u)
	if err != nil {
		return "", err
	}
	return digits[s.current:s.current+1] + form.Base32.Text(sealed), nil
}

// Open returns the UID that Seal has turned into text, under the key that the text names by its number. It cannot know
// whether another key of that number, or another tweak, has sealed it: then the UID is wrong. It returns ErrSyntax when
// Seal does not write such a text, ErrRange when its number is above uid.Max, and ErrUnknownKey when the Sealer does
// not have the key.
func (s *Sealer) Open(text string) (uid.UID, error) {
	if len(text) != textLength {
		return 0, fmt.Errorf("%w: %.40q has %d bytes, and a sealed UID %d", uid.ErrSyntax, text, len(text), textLength)
	}
	number := strings.IndexByte(digits, text[0])
	if number < 1 {
		return 0, fmt.Errorf("%w: %q does not begin with the number of a key", uid.ErrSyntax, text)
	}
	sealed, err := form.Base32.Parse(text[1:])
	if err != nil {
		return 0, fmt.Errorf("after the number of the key: %w", err)
	}
	c := s.ciphers[number]
	if c == nil {
		return 0, fmt.Errorf("%w: %q names key %d, known are %s", ErrUnknownKey, text, number, s.numbers())
	}
	return c.open(sealed)
}

// SealNumber returns another number for u under the current key, one to one, for a BIGINT. A number does not tell its
// key: to change keys, remember which belongs to which. It returns ErrRange when u is negative. It does not allocate.
func (s *Sealer) SealNumber(u uid.UID) (uid.UID, error) { return s.ciphers[s.current].seal(u) }

// OpenNumber returns the UID that SealNumber has turned into sealed under the same current key; under another one it
// returns another UID, and cannot know. It returns ErrRange when sealed is negative. It does not allocate.
func (s *Sealer) OpenNumber(sealed uid.UID) (uid.UID, error) {
	return s.ciphers[s.current].open(sealed)
}

// numbers lists the numbers of the keys.
func (s Sealer) numbers() string {
	var list []string
	for n, c := range s.ciphers {
		if c != nil {
			list = append(list, strconv.Itoa(n))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// Format writes the tweak and the numbers of the keys, for every verb and flag.
func (s Sealer) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "opaque.Sealer of %q, keys %s, current %d", s.tweak, s.numbers(), s.current)
}
