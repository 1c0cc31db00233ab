package form

import (
	"fmt"

	"github.com/uidgen/uid"
)

// nullError is what the Scan of v's type returns for NULL.
func nullError(v any) error {
	return fmt.Errorf("%w: NULL is not a %T; scan it into a sql.Null[%[2]T]", uid.ErrSyntax, v)
}

// set sets a variable to what a parser returns with an error, unless that is one.
func set[V any](to *V, v V, err error) error {
	if err == nil {
		*to = v
	}
	return err
}
