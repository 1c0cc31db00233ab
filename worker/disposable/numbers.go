package disposable

import "github.com/uidgen/uid/internal/numberstore"

// Numbers hands out numbers that nobody has had before: a sqlstore.DB's generated keys.
type Numbers = numberstore.Numbers
