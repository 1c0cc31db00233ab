package cluster

import "testing"

// For is for tests: it fails the test if a server could not be started, and else closes it when
// the test ends.
//
//	s, err := cluster.StartThing("thing")
//	cluster.For(t, s, err)
func For(t testing.TB, s interface{ Close() }, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
}
