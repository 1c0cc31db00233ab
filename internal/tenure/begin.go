package tenure

import (
	"context"
	"fmt"
	"math"
	"reflect"

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

// Start acquires the worker and puts its first reservation in force, or one without ticks
// if that was revoked meanwhile. If the worker fails, it returns the worker's error; if the
// worker breaks the terms, it releases the worker and returns an error that wraps
// uid.ErrRange. The renewing goroutine starts only when there is something to renew. Panics
// in Extend and Release are logged and count as failures.
//
// By the time Start returns, another Grant may already be in force.
func Start(ctx context.Context, w uid.Worker, cfg Config) (*Tenure, error) {
	t := &Tenure{worker: w, cfg: cfg, wake: make(chan struct{}, 1), over: make(chan struct{})}
	t.ctx, t.quit = context.WithCancel(context.Background())
	t.cfg.Terms.Now, t.cfg.Terms.Revoke = cfg.Now, t.revoke
	t.grant.Store(withoutTicks(0))

	res, err := w.Acquire(ctx, t.cfg.Terms)
	if err != nil {
		t.quit()
		return nil, err
	}
	if err := t.check(res); err != nil {
		t.quit()
		t.warn(res.WorkerID, t.release(ctx, -1))
		return nil, err
	}
	g := t.lockGranting()
	defer t.granting.Unlock()
	both := g.lock()
	t.acquired = true
	t.raise(&res)
	if t.revoked > 0 {
		res = nothing(res.WorkerID)
	}
	both.put(res)
	if t.wanted || res.Renew != math.MaxInt64 {
		both.start()
	}
	both.unlock()
	g.tell(res)
	return t, nil
}
