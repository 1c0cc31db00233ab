package harness

import (
	"fmt"
	"reflect"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/tenure"
)

// Some faults need a worker's private fields. Tests reach them by reflection, so that
// programs find no setting for it.

// SetClock sets the clock with which a lease measures the time between two calls. The
// lease must not be in use yet.
func SetClock(l uid.Worker, clock func() time.Time) { *inside[func() time.Time](l, "clock") = clock }

// SetHolder sets what rows say of the process that has a lease. The lease must not be in use yet.
func SetHolder(l uid.Worker, text string) { *inside[string](l, "holder") = text }

// Tenure returns a generator's hold on its worker.
func Tenure(g uid.Generator) *tenure.Tenure { return *inside[*tenure.Tenure](g, "tenure") }

// StateFile returns the state file of a worker that serves a generator, or nil if it has none. No call of
// the worker may run while the file is used.
func StateFile(worker any) *state.File {
	switch reflect.TypeOf(worker).String() {
	case "*statefile.file":
		return *inside[*state.File](worker, "state")
	case "*statefile.fileLease":
		return *inside[*state.File](worker, "file")
	}
	return nil
}

// inside returns a pointer to a field of the struct that of points to.
func inside[T any](of any, field string) *T {
	v := reflect.ValueOf(of).Elem().FieldByName(field)
	if !v.IsValid() || v.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("harness: %T has no field %s of type %v", of, field, reflect.TypeFor[T]()))
	}
	return (*T)(v.Addr().UnsafePointer())
}
