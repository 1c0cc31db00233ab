package disposable

import "github.com/uidgen/uid/internal/storage"

// Numbers hands out numbers that nobody has had before: a sqlstore.DB's generated keys.
type Numbers = storage.NumberStore
