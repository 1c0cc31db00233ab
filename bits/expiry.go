package bits

import (
	"fmt"
	"time"

	"github.com/uidgen/uid"
)

// defaultRefuse and defaultWarn are how long before [Layout.Expires] generators refuse
// to start and begin to warn, unless an [Expiry] says otherwise.
const (
	defaultRefuse = 30 * 24 * time.Hour
	defaultWarn   = 365 * 24 * time.Hour
)

// Expiry says what a generator does as the end of its layout's time field comes near.
// It is a field of both generators' Config; the zero Expiry is the default policy.
type Expiry struct {
	// Refuse is how long before the layout's Expires a generator no longer starts. Zero
	// stands for 30 days. Negative: it starts as long as there is a tick
	// left.
	Refuse time.Duration
	// Warn is how long before the layout's Expires a generator warns, when it
	// starts and in its Health. Zero stands for 365 days. Negative: it
	// does not warn.
	Warn time.Duration
}

// Start returns nil if a generator may start on layout l at the time now, ErrRange when
// now is before the layout's epoch, and ErrExhausted when the time field is full or will
// be within e.Refuse. The texts have the dates.
func (e Expiry) Start(l Layout, now time.Time) error {
	if l.IsZero() {
		return errZero
	}
	if now.Before(l.epoch) {
		return fmt.Errorf("%w: the clock is at %s, before the layout's epoch %s: is it right? (In testing/synctest it begins in 2000: package uidtest shows what to do.)",
			uid.ErrRange, stamp(now), stamp(l.epoch))
	}
	expires := l.Expires()
	if !now.Before(l.end()) {
		return fmt.Errorf("%w: the last tick of the layout %s was at %s, now is %s",
			uid.ErrExhausted, l, stamp(expires), stamp(now))
	}
	refuse := orDefault(e.Refuse, defaultRefuse)
	if left := expires.Sub(now); refuse > 0 && left < refuse {
		return fmt.Errorf("%w: the last tick of the layout %s is at %s, %v from now, and a generator does not start in the last %v",
			uid.ErrExhausted, l, stamp(expires), left, refuse)
	}
	return nil
}

// Warns reports whether now is within e.Warn of the layout's Expires, or past it.
func (e Expiry) Warns(l Layout, now time.Time) bool {
	warn := orDefault(e.Warn, defaultWarn)
	return warn > 0 && l.Expires().Sub(now) < warn
}

func orDefault(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}
