package uid_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestClockBackError(t *testing.T) {
	last := time.Date(2026, time.November, 21, 10, 0, 5, 0, time.UTC)
	var err error = &uid.ClockBackError{
		Now: last.Add(-5 * time.Second), Last: last, Back: 5 * time.Second, Limit: 10 * time.Millisecond,
	}
	require.EqualError(t, err, "clock moved back: it shows 2026-11-21T10:00:00Z, 5s before 2026-11-21T10:00:05Z, "+
		"the time of the last UID or the first that is allowed; the policy allows 10ms")

	wrapped := fmt.Errorf("ordering: %w", err)
	require.ErrorIs(t, wrapped, uid.ErrClockBack)
	require.NotErrorIs(t, wrapped, io.EOF)
	var back *uid.ClockBackError
	require.True(t, errors.As(wrapped, &back))
	require.Equal(t, 5*time.Second, back.Back)
}
