package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/uidgen/uid/segment"
)

// logRequest writes a record of a request: nothing of its header or query, which may hold a token, and
// of its path only which route it is.
func (s *Server) logRequest(r *http.Request, path string, rec *recorder, took time.Duration) {
	if s.cfg.Access != nil {
		s.cfg.Access.Info("request", "client", r.RemoteAddr, "method", known(r.Method), "path", path,
			"status", rec.status, "bytes", rec.bytes, "took_us", took.Microseconds())
	}
}

// known is a method that HTTP defines, and no text of a stranger's.
func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "other"
}

// logConn writes a record of a connection of the Redis protocol that has ended.
func (s *Server) logConn(c *conn, took time.Duration) {
	if s.cfg.Access != nil {
		s.cfg.Access.Info("connection", "client", c.RemoteAddr().String(),
			"commands", c.commands, "errors", c.errors, "took_us", took.Microseconds())
	}
}

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
	if slices.ContainsFunc(all, aboutNoTag) {
		return slog.DiscardHandler
	}
	return quiet{h.Handler.WithAttrs(all)}
}

func (h quiet) WithGroup(name string) slog.Handler { return quiet{h.Handler.WithGroup(name)} }

func aboutNoTag(a slog.Attr) bool {
	err, ok := a.Value.Any().(error)
	return ok && errors.Is(err, segment.ErrNoTag)
}
