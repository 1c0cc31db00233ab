package cli

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorsAreOneLine(t *testing.T) {
	var stderr bytes.Buffer
	p := &Program{Stderr: &stderr}
	require.Equal(t, ExitFailure, p.report(errors.Join(errors.New("one"), errors.New("two\r\n"))))
	require.Equal(t, "uid: one; two\n", stderr.String())
}
