package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/segment"
)

// A failure is an answer that is an error.
type failure struct {
	status int
	why    string
}

func (f failure) Error() string { return f.why }

func failed(status int, format string, args ...any) error {
	return failure{status, fmt.Sprintf(format, args...)}
}

// status returns the status of the answer to a request that met an error.
func status(err error) int {
	if f, is := errors.AsType[failure](err); is {
		return f.status
	}
	switch {
	case errors.Is(err, segment.ErrNoTag):
		return http.StatusNotFound
	case errors.Is(err, uid.ErrConfig), errors.Is(err, uid.ErrSyntax), errors.Is(err, uid.ErrRange):
		return http.StatusBadRequest
	case errors.Is(err, uid.ErrExhausted), errors.Is(err, segment.ErrLost), errors.Is(err, uid.ErrLossy):
		return http.StatusInternalServerError
	}
	return http.StatusServiceUnavailable
}

// reason is what a client is told of an error.
func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "none was to be had in time"
	case errors.Is(err, context.Canceled):
		return "the request was given up"
	}
	return err.Error()
}
