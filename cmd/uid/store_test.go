package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A store is named without the account and the password that its DSN has.
func TestStoreTellsNoSecret(t *testing.T) {
	require.Equal(t, "a MySQL or MariaDB server", choice{dsn: "me:hunter2@tcp(db:3306)/shop"}.String())
}
