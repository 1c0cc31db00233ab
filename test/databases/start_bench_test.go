package databases_test

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/statefile"
)

// BenchmarkStart measures a start: from New of a generator to its first UID, on a database that is
// open. What is before a start, such as the former owner's life, does not count.
func BenchmarkStart(b *testing.B) {
	for _, c := range []struct {
		name      string
		layout    bits.Layout
		generator func(w uid.Worker, l bits.Layout) (uid.Generator, error)
	}{
		{"cached/ms", bits.MustParseLayout("redis"), newCached},
		{"cached/s", bits.Default(), newCached},
		{"uncached/ms", bits.MustParseLayout("redis"), newUncached},
	} {
		run := func(of string, prepare func(b *testing.B) starts) {
			b.Run(of+"/"+c.name, func(b *testing.B) {
				s := prepare(b)
				var sum uid.UID
				b.ResetTimer()
				for range b.N {
					b.StopTimer()
					w := s.worker(b, c.layout)
					b.StartTimer()
					g := must(c.generator(w, c.layout))
					u := must(g.GetUID())
					b.StopTimer()
					sum += u
					if s.end == nil {
						require.NoError(b, g.Close())
					} else {
						s.end(b, g)
					}
				}
				require.NotZero(b, sum)
			})
		}
		run("static", func(*testing.B) starts {
			return starts{worker: func(*testing.B, bits.Layout) uid.Worker { return worker.Static(7, rand.Text()) }}
		})
		run("file-new", func(b *testing.B) starts { return stateFileStarts(b, true) })
		run("file-released", func(b *testing.B) starts { return stateFileStarts(b, false) })
		for kind, fresh := range engines.Kinds() {
			run("disposable-"+kind, func(b *testing.B) starts { return disposableStarts(b, fresh(b)) })
			for _, past := range []string{"new", "released", "expired", "restarted"} {
				leased := func(name string, losses lease.Losses) {
					run(name+kind+"-"+past, func(b *testing.B) starts { return leaseStarts(b, fresh(b), past, losses) })
				}
				leased("durable-", lease.NeverUnchecked)
				leased("lease-", lease.ByHistory)
			}
		}
	}
}

func newCached(w uid.Worker, l bits.Layout) (uid.Generator, error) {
	return cached.New(w, cached.Config{Layout: l, Logger: quiet()})
}

func newUncached(w uid.Worker, l bits.Layout) (uid.Generator, error) {
	return uncached.New(w, uncached.Config{Layout: l, Logger: quiet()})
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// starts are those of one benchmark: a worker for each, and what ends it, Close for nil.
type starts struct {
	worker func(b *testing.B, l bits.Layout) uid.Worker
	end    func(b *testing.B, g uid.Generator)
}

func stateFileStarts(b *testing.B, anew bool) starts {
	folder, n := b.TempDir(), 0
	return starts{worker: func(b *testing.B, l bits.Layout) uid.Worker {
		if anew {
			n++
		}
		path := filepath.Join(folder, fmt.Sprint(n))
		return must(statefile.New(path, worker.FixedID(7), statefile.Config{Logger: quiet()}))
	}}
}

func disposableStarts(b *testing.B, s store) starts {
	numbers := tablesOf(s.Open(b), sqlstore.Config{Logger: quiet()}).Numbers()
	return starts{worker: func(b *testing.B, l bits.Layout) uid.Worker {
		return must(disposable.New(numbers, disposable.Config{Host: "h", Logger: quiet()}))
	}}
}

// leaseStarts are those of leases, of which the IDs are new, were released, are those of owners
// that did not release them, or are taken up from a state file.
func leaseStarts(b *testing.B, s store, past string, losses lease.Losses) starts {
	db := s.Open(b)
	leases := must(tablesOf(db, sqlstore.Config{Logger: quiet()}).Leases(""))
	path, saved := filepath.Join(b.TempDir(), "lease"), false
	of := starts{worker: func(b *testing.B, l bits.Layout) uid.Worker {
		require.NoError(b, lease.Found(b.Context(), leases, lease.Founding{Layout: l}))
		if past == "released" || past == "expired" {
			engines.Do(b, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0") // its quarantine is over
		}
		leased := must(lease.New(leases, lease.Config{Losses: losses, Logger: quiet()}))
		if past != "restarted" {
			return leased
		}
		w := must(statefile.OnLease(leased, path, statefile.Config{Logger: quiet()}))
		if !saved { // the first start has no file
			saved = true
			require.NoError(b, must(newCached(w, l)).Close())
		}
		return w
	}}
	if past == "expired" {
		// A generator that is not closed before the next start loses its lease to that.
		of.end = func(b *testing.B, g uid.Generator) { b.Cleanup(func() { _ = g.Close() }) }
	}
	return of
}
