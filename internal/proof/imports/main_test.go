package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRules(t *testing.T) {
	require.NoError(t, rule{forbidden: sql}.check(module+"bits"))
	require.ErrorContains(t, rule{forbidden: sql}.check(module+"internal/proof/imports/ways/disposable"), "imports database/sql")
	require.ErrorContains(t, rule{forbidden: locks}.check(module+"internal/proof/imports/ways/statefile"), "ways/statefile imports ")
}

func TestUnasked(t *testing.T) {
	require.Empty(t, unasked("require golang.org/x/sys v0.1.0\n\nrequire (\n\tgithub.com/jmoiron/sqlx v1.4.0\n\tgo.example/x v1.0.0 // indirect\n)\n"))
	require.Equal(t, []string{"go.example/x"}, unasked("require (\n\tgithub.com/jmoiron/sqlx v1.4.0\n\tgo.example/x v1.0.0\n)\n"))
	require.Equal(t, []string{"go.example/y"}, unasked("require go.example/y v1.0.0\n"))
}
