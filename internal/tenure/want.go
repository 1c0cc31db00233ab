package tenure

import "errors"

var errOnItsWay = errors.New("more has been asked for")

// Await is for a call that needs tick, which is beyond was. It asks for an Extend up to
// through, and returns a channel that is closed when there is news. If another Grant is in
// force by now, the channel is nil and the call tries again. On an error the call fails: the
// tenure has ended, the last attempt to extend the reservation failed, or the call would
// have to wait and wait is false.
func (t *Tenure) Await(was *Grant, tick, through int64, wait bool) (news <-chan struct{}, err error) {
	l := t.lock()
	defer l.unlock()
	if t.grant.Load() != was {
		return nil, nil
	}
	if was.Ended != nil {
		return nil, was.Ended
	}
	l.want(max(through, tick))
	why := t.trouble.err
	if why == nil {
		if wait {
			return t.news.Listen(), nil
		}
		why = errOnItsWay
	} else if r := &t.trouble; !r.spent { // report it at once
		r.spent = true
		if r.timer != nil && !t.stopped {
			r.timer.Reset(0)
		}
	}
	return nil, &noReservation{workerID: was.WorkerID, until: was.Until, err: why}
}

// Want asks for an Extend up to the given tick, soon. It never waits for the worker, and
// may be called at any rate.
func (t *Tenure) Want(through int64) {
	l := t.lock()
	defer l.unlock()
	l.want(through)
}

func (t locked) want(through int64) {
	if through > t.through || !t.wanted {
		t.through = max(t.through, through)
		t.wanted = true
		t.start()
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// revoke is the worker's Terms.Revoke. It withdraws the Grant first: Discard drops
// the UIDs that the generator still makes ready under it, and after that it can make none ready.
func (t *Tenure) revoke() {
	g := t.lockGranting()
	defer t.granting.Unlock()
	l := g.lock()
	if was := t.grant.Load(); was.Ended == nil {
		t.grant.Store(withoutTicks(was.WorkerID))
	}
	l.unlock()
	if t.cfg.Discard != nil {
		t.cfg.Discard()
	}
	l = g.lock()
	defer l.unlock()
	t.revoked++
	l.want(t.through)
}
