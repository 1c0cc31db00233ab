package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/uidgen/uid"
)

// The lengths of a token.
const minToken, maxToken = 16, 512

// A Token is a secret that clients share with the server. It keeps only its hash. All methods may be
// called by any number of goroutines at once.
type Token struct {
	hash atomic.Pointer[[sha256.Size]byte]
}

// Set changes the token, for what is compared from now on. It returns an error that wraps
// [uid.ErrConfig], and does not repeat the text, when that is no token: 16 to 512 printable ASCII
// characters without spaces.
func (t *Token) Set(text string) error {
	switch {
	case len(text) < minToken || len(text) > maxToken:
		return fmt.Errorf("%w: the token has %d bytes, want %d to %d", uid.ErrConfig, len(text), minToken, maxToken)
	case strings.ContainsFunc(text, unprintable):
		return fmt.Errorf("%w: the token has a character that is no printable ASCII, or a space", uid.ErrConfig)
	}
	hash := sha256.Sum256([]byte(text))
	t.hash.Store(&hash)
	return nil
}

// Is reports whether a text is the token, in a time that does not tell how much of it is right.
func (t *Token) Is(text string) bool {
	hash := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(hash[:], t.hash.Load()[:]) == 1
}

// shows reports whether a request shows the token: as a bearer, or as the password of any user, for
// browsers.
func (t *Token) shows(r *http.Request) bool {
	if t == nil {
		return true
	}
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return false
	}
	if scheme, text, ok := strings.Cut(header[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
		return t.Is(text)
	}
	_, password, ok := r.BasicAuth()
	return ok && t.Is(password)
}
