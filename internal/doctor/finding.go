package doctor

import (
	"fmt"

	"github.com/uidgen/uid/internal/retry"
)

// Unknown is the finding for what a store does not tell. An error that may pass is not one.
func Unknown(what string, err error) ([]Finding, error) {
	if retry.IsTransient(err) {
		return nil, err
	}
	return []Finding{{Level: LevelNote, What: what, Value: "could not be told",
		Why: fmt.Sprintf("The store does not say: %v.", err),
		Do:  "Look yourself, or check with an account that may see it."}}, nil
}

// Fine is the finding for what is as it should be.
func Fine(what, value string) Finding {
	return Finding{Level: LevelOK, What: what, Value: value}
}
