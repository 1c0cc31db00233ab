package tenure

import (
	"fmt"
	"runtime/debug"
)

// contain calls one of the worker's methods and turns a panic into an error. Goroutines of
// the tenure make these calls; a panic there would end the program, though the generator
// may have UIDs to issue. It logs the first of several panics in a row.
func (t *Tenure) contain(name string, call func() error) (err error) {
	defer func() {
		v := recover()
		if v == nil {
			t.panicked = ""
			return
		}
		err = fmt.Errorf("the worker's %s panicked: %v", name, v)
		if t.panicked != name {
			t.panicked = name
			t.cfg.Logger.Error("uid: a worker panicked", "call", name, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	return call()
}
