package server

import (
	"net/http"
	"time"
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
