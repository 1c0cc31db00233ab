package cluster

import "testing"

type closer interface{ Close() }

// orClosed returns a server, or closes it after an error.
func orClosed[S closer](s S, err error) (S, error) {
	if err != nil {
		s.Close()
		var none S
		return none, err
	}
	return s, nil
}

// For is for tests: it fails the test if a server could not be started, and else closes it when
// the test ends.
//
//	s, err := cluster.StartThing("thing")
//	cluster.For(t, s, err)
func For(t testing.TB, s closer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
}
