package logtest

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// Error requires that an error wraps another one, and says each of the texts.
func Error(t testing.TB, err, kind error, texts ...string) {
	t.Helper()
	require.ErrorIs(t, err, kind)
	for _, text := range texts {
		require.ErrorContains(t, err, text)
	}
}

// Refused requires an error of a setting that can be told apart and is short, and reports whether there is one.
func Refused(t testing.TB, err error) bool {
	t.Helper()
	if err != nil {
		require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), err)
		require.Less(t, len(err.Error()), 2000)
	}
	return err != nil
}

// Default keeps what is logged by default, until the end of the test.
func Default(t testing.TB) *Records {
	before, records := slog.Default(), &Records{}
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(records.Logger())
	return records
}

// Texts is all that a program could log of an error: its text and fields, and those of all
// errors that it wraps.
func Texts(err error) string {
	if err == nil {
		return ""
	}
	all := fmt.Sprintf("%v\n%+v\n%#v\n", err, err, err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		all += Texts(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			all += Texts(part)
		}
	}
	return all
}
