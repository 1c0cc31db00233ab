// Package workerid has the rules that all kinds of workers share: which IDs a layout holds, when they run out, and that
// a worker serves one generator at a time.
package workerid

import (
	"fmt"

	"github.com/uidgen/uid"
)

// Ask calls a worker.Source. It returns [uid.ErrRange] when the ID is not within 0 to most, and [uid.ErrConfig] for a
// nil source.
func Ask(source func(most int64) (int64, error), most int64) (int64, error) {
	if source == nil {
		return 0, fmt.Errorf("%w: no source of the worker ID", uid.ErrConfig)
	}
	id, err := source(most)
	if err != nil {
		return 0, err
	}
	return id, Within("the worker ID", id, most)
}

// Within returns [uid.ErrRange] when the layout does not hold an ID, of which what says what it is.
func Within(what string, id, most int64) error {
	if id < 0 || id > most {
		return fmt.Errorf("%w: %s %d is not within 0..%d, the layout's maximum", uid.ErrRange, what, id, most)
	}
	return nil
}
