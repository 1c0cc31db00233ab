package database

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A server that was just started may be started again within the same second.
func TestYoungServersHaveNoHistory(t *testing.T) {
	o := Origin{history: "server since 12:00:00"}
	require.Equal(t, o.history, o.History())
	o.justStarted = true
	require.Empty(t, o.History())
}
