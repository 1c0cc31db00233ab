package tenure

import (
	"cmp"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// defaultRefuse and defaultWarn are how long before Layout.Expires generators refuse to start and begin to warn,
// unless a bits.Expiry says otherwise.
const (
	defaultRefuse = 30 * 24 * time.Hour
	defaultWarn   = 365 * 24 * time.Hour
)

// CheckExpiry returns nil if a generator may start on layout l at the time now, ErrRange when now is before the
// layout's epoch, and ErrExhausted when the time field is full or will be within e.Refuse. The texts have the dates.
func CheckExpiry(e bits.Expiry, l bits.Layout, now time.Time) error {
	if l.IsZero() {
		return fmt.Errorf("%w: the zero Layout holds no UID", uid.ErrRange)
	}
	if now.Before(l.Epoch()) {
		return fmt.Errorf("%w: the clock is at %s, before the layout's epoch %s: is it right? "+
			"(In testing/synctest it begins in 2000: package uidtest shows what to do.)",
			uid.ErrRange, stamp(now), stamp(l.Epoch()))
	}
	expires := l.Expires()
	if !now.Before(expires.Add(l.Unit())) {
		return fmt.Errorf("%w: the last tick of the layout %s was at %s, now is %s",
			uid.ErrExhausted, l, stamp(expires), stamp(now))
	}
	refuse := cmp.Or(e.Refuse, defaultRefuse)
	if left := expires.Sub(now); refuse > 0 && left < refuse {
		return fmt.Errorf("%w: the last tick of the layout %s is at %s, %v from now, "+
			"and a generator does not start in the last %v",
			uid.ErrExhausted, l, stamp(expires), left, refuse)
	}
	return nil
}

// Warns reports whether now is within e.Warn of the layout's Expires, or past it.
func Warns(e bits.Expiry, l bits.Layout, now time.Time) bool {
	warn := cmp.Or(e.Warn, defaultWarn)
	return warn > 0 && l.Expires().Sub(now) < warn
}

// Exhausted is the error of calls once the time field of a layout is full.
func Exhausted(l bits.Layout) error {
	return fmt.Errorf("%w: the last tick of the layout %s was %s", uid.ErrExhausted, l, stamp(l.Expires()))
}

// stamp is a time in an error text.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
