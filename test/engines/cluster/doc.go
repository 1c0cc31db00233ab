// Package cluster runs the servers of every engine that a store of this project speaks to,
// privately: each in a temporary folder of its own, on free ports of the loopback interface, as
// processes that do not outlive this one (on Linux). Tests kill, pause and cut them off.
//
// # For who adds an engine
//
// A starter is a function that returns the running server; a SQL server has a dialect, too:
//
//	func StartThing(name string) (*Thing, error) {
//		path, err := Find("thing-server", "thingd", "/usr/lib/thing/bin") // installs the Debian package, if root
//		s, err := New(name, 2)                                            // a folder and two free ports
//		err = s.Start(Program{
//			Path:  path,
//			Args:  []string{"--data", s.Path("data"), "--listen", s.Addr(0), "--peers", s.Addr(1)},
//			Ready: func(ctx context.Context) error { return pingThing(ctx, s.Addr(0)) },
//		})
//		return &Thing{s}, err // after an error: s.Close()
//	}
//
// A cluster of several nodes makes all of them with New first, so that each knows the ports of
// the others, and then starts them: together where they wait for one another.
//
// Tests use a starter with [For], which ends the server with the test.
package cluster
