package serve

import (
	"context"
	"errors"
	"log/slog"

	"github.com/uidgen/uid/segment"
)

// quiet drops the records about tags that the store does not have: strangers can name as many as they
// like, and are told themselves.
type quiet struct{ slog.Handler }

func (h quiet) Handle(ctx context.Context, r slog.Record) error {
	strange := false
	r.Attrs(func(a slog.Attr) bool {
		strange = strange || aboutNoTag(a)
		return !strange
	})
	if strange {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h quiet) WithAttrs(all []slog.Attr) slog.Handler {
	for _, a := range all {
		if aboutNoTag(a) {
			return slog.DiscardHandler
		}
	}
	return quiet{h.Handler.WithAttrs(all)}
}

func (h quiet) WithGroup(name string) slog.Handler { return quiet{h.Handler.WithGroup(name)} }

func aboutNoTag(a slog.Attr) bool {
	err, ok := a.Value.Any().(error)
	return ok && errors.Is(err, segment.ErrNoTag)
}
