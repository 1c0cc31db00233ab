package serve

import (
	"context"
	"errors"
	"net/http"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/segment"
)

// status returns the status of the answer to a request that could not draw.
func status(err error) int {
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
