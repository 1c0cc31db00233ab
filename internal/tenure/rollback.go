package tenure

import (
	"fmt"

	uid "github.com/uidgen/uid"
)

// RollbackField is the name of the worker ID's part in which uncached.RollbackBits counts
// steps back. A layout's text names it, and with it how many bits are no worker ID's. That
// tells such generators from all others as long as no other one has a part of that name.
const RollbackField = "rollback"

// RefuseRollback returns an error that wraps uid.ErrConfig if one of a layout's parts is
// named as if it counted steps back. It is for generators whose worker IDs have all the
// bits: one of these IDs is, to a generator that counts, a count and another ID.
func RefuseRollback(fields []uid.Field) error {
	for _, f := range fields {
		if f.Name == RollbackField {
			return fmt.Errorf("%w: only under uncached.RollbackBits may a part of the worker ID be named %q, as %s:%d is: rename it",
				uid.ErrConfig, RollbackField, f.Name, f.Bits)
		}
	}
	return nil
}
