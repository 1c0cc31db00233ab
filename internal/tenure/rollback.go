package tenure

import (
	"fmt"

	uid "github.com/uidgen/uid"
)

// RollbackField is the name of the worker ID's part in which uncached.RollbackBits counts
// steps back. It is in the layout's text, and in no other's: that tells such generators from all others.
const RollbackField = "rollback"

// RefuseRollback returns an error that wraps uid.ErrConfig if one of a layout's parts has
// that name. It is for generators whose worker IDs use all the bits: a generator that
// counts steps back would read such an ID as a count and another ID.
func RefuseRollback(fields []uid.Field) error {
	for _, f := range fields {
		if f.Name == RollbackField {
			return fmt.Errorf("%w: only under uncached.RollbackBits may a part of the worker ID be named %q, as "+
				"%s:%d is: rename it", uid.ErrConfig, RollbackField, f.Name, f.Bits)
		}
	}
	return nil
}
