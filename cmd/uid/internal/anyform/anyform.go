// Package anyform reads a UID in each form that tells by itself which form it is.
package anyform

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

// base32 is a text of form.Base32, or of a form.ID with any prefix. What it does not hold, form refuses.
var base32 = regexp.MustCompile(`^(?:[a-z0-9_]{0,62}[a-z0-9]_)?([0-9a-z]{13})$`)

// Parse reads a UID from decimal digits, base32 (05067s0001009), or base32 behind a prefix
// (order_05067s0001009), as package form writes them. 13 digits that do not begin with 0 are decimal; behind
// a prefix they are base32. It returns the errors of uid.Parse and form.ParseBase32.
func Parse(text string) (uid.UID, error) {
	u, err := uid.Parse(text)
	if err == nil {
		return u, nil
	}
	if is := base32.FindStringSubmatch(text); is != nil {
		return form.ParseBase32(is[1])
	}
	if errors.Is(err, uid.ErrSyntax) {
		err = fmt.Errorf("%w, and no base32 either, such as 05067s0001009 or order_05067s0001009", err)
	}
	return 0, err
}
