package places

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// The error of a store whose leased worker IDs are used up says when they come back.
func TestFullLayout(t *testing.T) {
	var w Worker
	leased := &Opened{}
	err := w.Explain(leased, fmt.Errorf("x: %w", uid.ErrNoWorkerID))
	require.ErrorContains(t, err, "no worker ID left; IDs come back five minutes after")
	require.Equal(t, io.EOF, w.Explain(leased, io.EOF))
}

// A store is named without the account and the password that its DSN has.
func TestStoreTellsNoSecret(t *testing.T) {
	require.Equal(t, "a server of mysql://", ofDSN("me:hunter2@tcp(db:3306)/shop", "").String())
}
