package kit

import "github.com/uidgen/uid"

// A Generator is what both packages make.
type Generator interface {
	uid.Generator
	TryGetUID() (uid.UID, error)
	Fill([]uid.UID) (int, error)
	Close() error
}
