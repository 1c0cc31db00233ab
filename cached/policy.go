package cached

import uid "github.com/uidgen/uid"

// contain calls a user's handler and survives its panic.
func (g *Generator) contain(name string, call func()) {
	defer func() {
		if r := recover(); r != nil {
			if g.counts.handlerPanics.Add(1) == 1 {
				g.cfg.Logger.Error("uid: a handler panicked; further panics are only counted", "handler", name, "panic", r)
			}
		}
	}()
	call()
}

// judge asks a call's handler about a rejection; a nil error lets the call wait. A call
// that never waits has a nil handler.
func (g *Generator) judge(handler uid.TakeHandler, r *uid.Rejection) (err error) {
	err = r.Err
	if handler != nil {
		g.contain("OnRejectedTake", func() { err = handler(*r) })
	}
	return err
}
