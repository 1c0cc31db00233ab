package server

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
)

// uid returns a UID, and waits for it within the limit.
func (s *Server) uid(ctx context.Context) (uid.UID, error) {
	if u, err := s.cfg.UIDs.TryGetUID(); err == nil {
		return u, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.RequestTimeout)
	defer cancel()
	return s.cfg.UIDs.GetUIDContext(ctx)
}

// fill draws UIDs, all or none: what it has drawn before an error is skipped.
func (s *Server) fill(ctx context.Context, dst []uid.UID) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.RequestTimeout)
	defer cancel()
	n, err := s.cfg.UIDs.FillContext(ctx, dst)
	if err != nil {
		s.metrics.skipped.Add(float64(n))
	}
	return err
}

// number returns the next number of a tag, and waits for it within the limit.
func (s *Server) number(ctx context.Context, tag string) (uid.UID, error) {
	if u, ok := s.cfg.Segments.Try(tag); ok {
		return u, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.RequestTimeout)
	defer cancel()
	return s.cfg.Segments.Next(ctx, tag)
}

func (s *Server) oneUID(w http.ResponseWriter, r *http.Request) error {
	return s.answerUIDs(w, r, 1, `{"uid":`, "}\n")
}

func (s *Server) someUIDs(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if !query.Has("n") {
		return failure{http.StatusBadRequest, fmt.Sprintf("say how many UIDs, as ?n=10: 1 to %d", MaxBatch)}
	}
	n, err := batch(query.Get("n"))
	if err != nil {
		return failure{http.StatusBadRequest, err.Error()}
	}
	return s.answerUIDs(w, r, n, `{"uids":[`, "]}\n")
}

// unseen answers a HEAD of what draws, and draws nothing, since nobody would see the number. So its answer says what
// is known without: that the request can be answered, and that the server is ready. It has no length.
func (s *Server) unseen(w http.ResponseWriter, kind string) error {
	if err := s.cfg.Ready(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusOK)
	return nil
}

// batches are slices for UIDs.
var batches = sync.Pool{New: func() any { return new([MaxBatch]uid.UID) }}

// batch reads how many are asked for.
func batch(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || text[0] == '+' || n < 1 || n > MaxBatch {
		return 0, fmt.Errorf("n is %.40q, want 1 to %d", text, MaxBatch)
	}
	return int(n), nil
}

// form returns whether a client wants text, one UID a line, rather than JSON. It is an error to take neither.
func form(r *http.Request) (plain bool, err error) {
	accepted := r.Header.Values("Accept")
	if len(accepted) == 0 {
		return false, nil
	}
	for part := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil || params["q"] == "0" {
			continue
		}
		switch kind {
		case "application/json", "application/*", "*/*":
			return false, nil
		case "text/plain", "text/*":
			return true, nil
		}
	}
	return false, failed(http.StatusNotAcceptable, "the answer can be application/json or text/plain")
}

// kindOf is the content type of an answer.
func kindOf(plain bool) string {
	if plain {
		return "text/plain; charset=utf-8"
	}
	return "application/json"
}

// answerUIDs answers with UIDs, which in JSON are quoted: JavaScript would lose bits of a number.
func (s *Server) answerUIDs(w http.ResponseWriter, r *http.Request, n int, begin, end string) error {
	plain, err := form(r)
	switch {
	case err != nil:
		return err
	case r.Method == http.MethodHead:
		return s.unseen(w, kindOf(plain))
	}
	all := batches.Get().(*[MaxBatch]uid.UID)
	defer batches.Put(all)
	if err := s.fill(r.Context(), all[:n]); err != nil {
		return err
	}
	s.metrics.uids[overHTTP].Add(float64(n))
	const digits = 22 // with quotes and a comma
	body := make([]byte, 0, n*digits+len(begin)+len(end))
	if plain {
		for _, u := range all[:n] {
			body = append(strconv.AppendInt(body, int64(u), 10), '\n')
		}
	} else {
		body = append(body, begin...)
		for i, u := range all[:n] {
			if i > 0 {
				body = append(body, ',')
			}
			body = append(strconv.AppendInt(append(body, '"'), int64(u), 10), '"')
		}
		body = append(body, end...)
	}
	s.answer(w, http.StatusOK, kindOf(plain), body)
	return nil
}

func (s *Server) parse(w http.ResponseWriter, r *http.Request) error {
	read, query := anyform.Parse, r.URL.Query()
	if query.Has("form") {
		form, err := anyform.Named(query.Get("form"))
		if err != nil {
			return failure{http.StatusBadRequest, err.Error()}
		}
		read = form.Parse
	}
	u, err := read(r.PathValue("uid"))
	if err != nil {
		return failure{http.StatusBadRequest, err.Error()}
	}
	parts, err := s.cfg.UIDs.ParseUID(u)
	if err != nil {
		return failure{http.StatusBadRequest, err.Error()}
	}
	s.answerJSON(w, http.StatusOK, parts)
	return nil
}
