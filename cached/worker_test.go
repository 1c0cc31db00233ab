package cached

import (
	"context"
	"math"

	uid "github.com/uidgen/uid"
)

type testWorker struct{ id int64 }

func (w *testWorker) Acquire(context.Context, uid.Terms) (uid.Reservation, error) {
	return uid.Reservation{WorkerID: w.id, Last: math.MaxInt64, Renew: math.MaxInt64}, nil
}
func (w *testWorker) Extend(context.Context, int64) (uid.Reservation, error) {
	return w.Acquire(nil, uid.Terms{})
}
func (w *testWorker) Release(context.Context, int64) error { return nil }
