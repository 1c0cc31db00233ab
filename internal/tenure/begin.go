package tenure

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// Begin is Start with the checks of every generator: it refuses to start without a worker,
// on a layout whose time field is full or nearly so, and with a floor out of reach; and it
// warns when the time field will be full before long. name, that of the generator's package,
// is for the texts.
func Begin(
	ctx context.Context, name string, w uid.Worker, l bits.Layout, expiry bits.Expiry, floor Floor, cfg Config,
) (*Tenure, error) {
	if v := reflect.ValueOf(w); w == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("%s: %w: nil worker", name, uid.ErrConfig)
	}
	now := cfg.Now()
	if err := CheckExpiry(expiry, l, now); err != nil {
		return nil, err
	}
	minTick, err := floor.tick(l, now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	cfg.Terms.MinTick = minTick
	if Warns(expiry, l, now) {
		cfg.Logger.Warn("uid: the layout's time field is nearly full", "layout", l.String(), "expires", l.Expires())
	}
	t, err := Start(ctx, w, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: acquiring the worker: %w", name, err)
	}
	return t, nil
}

// Exhausted is why nothing is issued any more once the time field of a layout is full.
func Exhausted(l bits.Layout) error {
	return fmt.Errorf("%w: the last tick of the layout %s was %s",
		uid.ErrExhausted, l, l.Expires().Format(time.RFC3339Nano))
}
