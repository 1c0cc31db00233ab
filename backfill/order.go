package backfill

import (
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/ticks"
)

// An Order says in which order the times of a run come, and so which ticks the generator has to
// remember. The zero Order is [AnyOrder].
type Order struct {
	sorted bool
	back   time.Duration
}

// AnyOrder allows any time at any moment. The generator remembers each tick that it has issued a
// UID of, in 25 to 40 bytes: 0.8 to 1.2 GB for each second of a year. Sort the times, or import
// a month at a time, where that is too much.
func AnyOrder() Order { return Order{} }

// Sorted is for times that do not go back, or by back at most: a time whose tick lies more ticks
// before the newest one than back has, rounded up, fails with [ErrOrder]. The generator forgets ticks
// further back, so that its memory does not grow with the number of rows. A negative back is refused
// by New.
func Sorted(back time.Duration) Order { return Order{sorted: true, back: back} }

func (o Order) check() error {
	if o.back < 0 {
		return fmt.Errorf("%w: Sorted(%v): the time by which times may go back is negative", uid.ErrConfig, o.back)
	}
	return nil
}

// window is how many ticks before the newest one are remembered.
func (o Order) window(unit time.Duration) int64 {
	if !o.sorted {
		return math.MaxInt64
	}
	return ticks.Count(o.back, unit)
}
