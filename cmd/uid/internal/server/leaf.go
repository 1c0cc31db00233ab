package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/segment"
)

// The IDs by which Leaf's server tells of failures.
const (
	leafNotNow   = -1 // the clock is behind, or the service has not begun
	leafNoKey    = -2
	leafNoNumber = -3 // no segment has a number left
)

// leafSnowflake answers as Leaf's server does: the UID as text. The key means nothing there either.
func (s *Server) leafSnowflake(w http.ResponseWriter, r *http.Request) error {
	return s.leaf(w, r, s.metrics.uids[overHTTP], s.uid, func(error) int { return leafNotNow })
}

// leafSegment answers as Leaf's server does: the next number of the tag as text.
func (s *Server) leafSegment(w http.ResponseWriter, r *http.Request) error {
	next := func(ctx context.Context) (uid.UID, error) { return s.number(ctx, r.PathValue("key")) }
	return s.leaf(w, r, s.metrics.numbers[overHTTP], next, func(err error) int {
		if noTag(err) {
			return leafNoKey
		}
		return leafNoNumber
	})
}

func (s *Server) leaf(w http.ResponseWriter, r *http.Request, count prometheus.Counter,
	next func(context.Context) (uid.UID, error), id func(error) int) error {
	if r.Method == http.MethodHead {
		return s.unseen(w, leafKind)
	}
	u, err := next(r.Context())
	if err != nil {
		s.leafFail(w, r, id(err), err)
		return nil
	}
	count.Inc()
	s.answer(w, http.StatusOK, leafKind, strconv.AppendInt(nil, int64(u), 10))
	return nil
}

// noTag reports whether the store does not have a tag, or cannot. A fault of the store itself can be the same error,
// as the reason why there is no reservation.
func noTag(err error) bool {
	never := errors.Is(err, uid.ErrRange) || errors.Is(err, uid.ErrConfig)
	return errors.Is(err, segment.ErrNoTag) || never && !errors.Is(err, uid.ErrNoReservation)
}

const leafKind = "text/plain;charset=UTF-8"

// leafFail answers as Leaf's server does: with status 500, whatever failed, and an object with what its
// framework puts there. The member detail is ours.
func (s *Server) leafFail(w http.ResponseWriter, r *http.Request, id int, err error) {
	body, _ := json.Marshal(map[string]any{
		"timestamp": time.Now().UnixMilli(), "status": http.StatusInternalServerError,
		"error":     http.StatusText(http.StatusInternalServerError),
		"exception": "com.sankuai.inf.leaf.server.exception.LeafServerException",
		"message":   fmt.Sprintf("Result{id=%d, status=EXCEPTION}", id),
		"path":      r.URL.EscapedPath(), "detail": reason(err),
	}) // of strings and numbers, which cannot fail
	s.answer(w, http.StatusInternalServerError, "application/json;charset=UTF-8", append(body, '\n'))
}
