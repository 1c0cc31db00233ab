package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
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

// fill draws UIDs, all or none: those that it has drawn before an error are skipped.
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

// The content types of answers.
const jsonKind, textKind = "application/json", "text/plain; charset=utf-8"

// kindOf returns the content type that a client wants: text, one UID a line, or JSON. It is an error to take neither.
func kindOf(r *http.Request) (string, error) {
	accepted := r.Header.Values("Accept")
	if len(accepted) == 0 {
		return jsonKind, nil
	}
	for part := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil || params["q"] == "0" {
			continue
		}
		switch kind {
		case "application/json", "application/*", "*/*":
			return jsonKind, nil
		case "text/plain", "text/*":
			return textKind, nil
		}
	}
	return "", failed(http.StatusNotAcceptable, "the answer can be application/json or text/plain")
}

// answerUIDs answers with UIDs, which in JSON are quoted: JavaScript would lose bits of a number.
func (s *Server) answerUIDs(w http.ResponseWriter, r *http.Request, n int, begin, end string) error {
	kind, err := kindOf(r)
	switch {
	case err != nil:
		return err
	case r.Method == http.MethodHead:
		return s.unseen(w, kind)
	}
	all := batches.Get().(*[MaxBatch]uid.UID)
	defer batches.Put(all)
	if err := s.fill(r.Context(), all[:n]); err != nil {
		return err
	}
	s.metrics.uids[overHTTP].Add(float64(n))
	const digits = 22 // with quotes and a comma
	body := make([]byte, 0, n*digits+len(begin)+len(end))
	if kind == textKind {
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
	s.answer(w, http.StatusOK, kind, body)
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

// lookups is how many tags at a time are looked for that nobody has drawn from yet: they may not exist.
const lookups = 8

// Segments draws the numbers of a store's tags. All methods may be called by any number of
// goroutines at once. A tag that the store does not have takes up no memory.
type Segments struct {
	store    segment.Store
	cfg      segment.Config
	registry *segment.Registry
	known    sync.Map      // tags that the store has
	looking  chan struct{} // a slot for each look for another tag
}

// NewSegments returns the segments of a store. It does not touch the store. It returns an error that
// wraps [uid.ErrConfig] when a setting cannot be used.
func NewSegments(s segment.Store, cfg segment.Config) (*Segments, error) {
	cfg.Create = false // or strangers would fill the store
	r, err := segment.NewRegistry(s, cfg)
	if err != nil {
		return nil, err
	}
	return &Segments{store: s, cfg: cfg, registry: r, looking: make(chan struct{}, lookups)}, nil
}

// CloseContext gives unused numbers back; see [segment.Registry.CloseContext].
func (s *Segments) CloseContext(ctx context.Context) error { return s.registry.CloseContext(ctx) }

// Try returns the next number of a tag if there is one in hand.
func (s *Segments) Try(tag string) (uid.UID, bool) {
	if _, ok := s.known.Load(tag); !ok {
		return 0, false
	}
	g, err := s.registry.Get(tag)
	if err != nil {
		return 0, false
	}
	u, err := g.TryGetUID()
	return u, err == nil
}

// Next returns the next number of a tag, and waits for it as long as ctx lasts. It returns
// [segment.ErrNoTag] when the store does not have the tag, and the errors of
// [segment.Generator.GetUIDContext].
func (s *Segments) Next(ctx context.Context, tag string) (uid.UID, error) {
	g, err := s.generator(ctx, tag)
	if err != nil {
		return 0, err
	}
	return g.GetUIDContext(ctx)
}

// Range returns the last of n numbers in a row, all of which are the caller's. Where two segments meet
// that do not follow one another, it takes n others from the store at once, and skips up to n.
func (s *Segments) Range(ctx context.Context, tag string, n int) (last uid.UID, err error) {
	g, err := s.generator(ctx, tag)
	if err != nil {
		return 0, err
	}
	numbers := make([]uid.UID, n)
	if _, err := g.FillContext(ctx, numbers); err != nil {
		return 0, err
	}
	if inARow(numbers) {
		return numbers[n-1], nil
	}
	cfg := s.cfg
	cfg.MinStep, cfg.MaxStep, cfg.Total = int64(n), int64(n), int64(n)
	if g, err = segment.New(s.store, tag, cfg); err != nil {
		return 0, err
	}
	defer func() { _ = g.CloseContext(ctx) }() // numbers that it cannot give back are skipped
	_, err = g.FillContext(ctx, numbers)
	return numbers[n-1], err
}

func inARow(numbers []uid.UID) bool {
	for i, u := range numbers {
		if u != numbers[0]+uid.UID(i) {
			return false
		}
	}
	return true
}

// generator returns the generator of a tag. Only a tag that the store has gets one: any other would stay, and ask the
// store again and again, once its client has gone away or the store is down.
func (s *Segments) generator(ctx context.Context, tag string) (*segment.Generator, error) {
	if _, ok := s.known.Load(tag); !ok {
		if err := s.look(ctx, tag); err != nil {
			return nil, err
		}
		s.known.Store(tag, nil)
	}
	return s.registry.Get(tag)
}

var errLook = errors.New("only a look")

// look returns why a tag has no generator.
func (s *Segments) look(ctx context.Context, tag string) error {
	if err := storage.CheckTag(tag); err != nil {
		return err
	}
	select {
	case s.looking <- struct{}{}:
		defer func() { <-s.looking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	found := false
	err := s.store.Change(ctx, tag, func(row *storage.Segment) error {
		found = !row.Fresh || row.Floor > 0 // the generator reports a loss of the store
		return errLook
	})
	switch {
	case found:
		return nil
	case errors.Is(err, errLook):
		return fmt.Errorf("%w: %q", segment.ErrNoTag, tag)
	}
	return fmt.Errorf("%w of tag %q: %w", uid.ErrNoReservation, tag, cmp.Or(ctx.Err(), err))
}
