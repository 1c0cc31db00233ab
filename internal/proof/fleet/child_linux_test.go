package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"math"
	"net"
	"os"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/proof/process"
	"github.com/uidgen/uid/internal/proof/record"
	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

// canary is a password that turns up wherever one may stand by mistake.
const canary = "hunter2"

// childEnv, with a job, makes the test binary a process that draws UIDs until it is
// ended.
const childEnv = "UID_FLEET_CHILD"

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		var j job
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			panic(err)
		}
		if err := j.do(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	_ = mysql.SetLogger(log.New(&said, "driver: ", 0))
	testserver.Main(m)
}

// said is what the driver logs in this process.
var said texts

// memoryFD is where a process finds the memory.
const memoryFD = 3

// A job is what a process is to do.
type job struct {
	Process int
	First   int64 // tick,
	Ticks   int64 // and how many, of the record
	Store   store
	Lease   timing

	Uncached bool
	// Greedy draws as fast as the generator gives, up to the end of what is reserved;
	// else the process keeps to the clock.
	Greedy bool
	// Blind draws whatever ticks it likes under the worker ID that it has, as if nobody
	// reserved any.
	Blind bool
}

// A store is where the table is.
type store struct {
	SQLite string // a path, or
	Addr   string // of a server
}

// source returns what sql.Open takes for a server. The canary is in five places of it:
// user, password, network, address and database.
func (s store) source() string {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = canary, canary, canary, canary+s.Addr, canary
	cfg.Timeout = time.Second
	return cfg.FormatDSN()
}

func (s store) open(ctx context.Context) (*sqlx.DB, error) {
	if s.SQLite != "" {
		return sqlite.Open(ctx, s.SQLite)
	}
	mysql.RegisterDialContext(canary, func(ctx context.Context, addr string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", addr[len(canary):])
	})
	return sqlx.Open("mysql", s.source())
}

// newLease returns a worker on the database.
func newLease(db *sqlx.DB, cfg lease.Config) (*lease.Lease, error) {
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		return nil, err
	}
	leases, err := tables.Leases("")
	if err != nil {
		return nil, err
	}
	return lease.New(leases, cfg)
}

// timing is the part of a lease.Config that tests set.
type timing struct {
	Window, TTL, Quarantine, MaxClockSkew time.Duration
	DurableStore                          bool
}

// brisk has IDs used again after as short a time as can be.
var brisk = timing{Window: 400 * time.Millisecond, TTL: 600 * time.Millisecond, Quarantine: 50 * time.Millisecond, MaxClockSkew: 50 * time.Millisecond}

func (t timing) durable() timing {
	t.DurableStore = true
	return t
}

func (t timing) config() lease.Config {
	return lease.Config{Window: t.Window, TTL: t.TTL, Quarantine: t.Quarantine, MaxClockSkew: t.MaxClockSkew, DurableStore: t.DurableStore,
		DurableStoreUnverified: true, Timeout: 2 * time.Second}
}

// maxLead bounds what is borrowed from the future. It is longer than it takes for an ID
// to be used again, so that it takes a reservation to keep owners apart.
const maxLead = 2 * time.Second

func newGenerator(w uid.Worker, uncach bool, log *slog.Logger) (uid.Generator, error) {
	if uncach {
		return uncached.New(w, uncached.Config{Layout: layout, Logger: log})
	}
	return cached.New(w, cached.Config{Layout: layout, MaxLead: maxLead, Logger: log})
}

// do draws UIDs until it is told to quit, and then closes the generator.
func (j job) do() error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		process.AwaitQuit(2)
		stop()
	}()
	m, err := openMemory(record.Geometry{Layout: layout, First: j.First, Ticks: j.Ticks}, os.NewFile(memoryFD, "memory"))
	if err != nil {
		return err
	}
	me := &m.processes[j.Process]
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if err := mysql.SetLogger(log.New(os.Stderr, "driver: ", 0)); err != nil {
		return err
	}
	db, err := j.Store.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	cfg := j.Lease.config()
	cfg.Logger = logger
	cfg.OnEvent = func(e lease.Event) { m.tell(j.Process, e) }
	var w uid.Worker
	if w, err = newLease(db, cfg); err != nil {
		return err
	}
	if j.Blind {
		w = &blind{Worker: w}
	}

	var g uid.Generator
	for {
		if g, err = newGenerator(w, j.Uncached, logger); err == nil {
			break
		}
		me.refused.Add(1)
		logger.Error("no generator", "error", err)
		if pause(ctx, 20*time.Millisecond); ctx.Err() != nil {
			return nil
		}
	}
	drawn := make(chan struct{})
	go func() {
		defer close(drawn)
		for ctx.Err() == nil {
			if err := j.draw(g, m); errors.Is(err, uid.ErrClosed) {
				return
			} else if err != nil {
				logger.Error("no UID", "error", err)
				count := &me.failed
				if errors.Is(err, uid.ErrNoReservation) {
					count = &me.noReservation
				}
				count.Add(1)
				pause(ctx, 5*time.Millisecond)
			}
			if !j.Greedy {
				pause(ctx, 2*time.Millisecond)
			}
		}
	}()
	<-ctx.Done()
	err = g.Close()
	<-drawn
	if err != nil {
		logger.Error("not released", "error", err)
	}
	return nil
}

// draw takes a few UIDs, in either way.
func (j job) draw(g uid.Generator, m *memory) error {
	u, err := g.GetUID()
	if err != nil {
		return err
	}
	m.note(j.Process, u)
	batch := make([]uid.UID, 5)
	n, err := g.Fill(batch)
	for _, u := range batch[:n] {
		m.note(j.Process, u)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// blind is a lease without its reservations: what remains if nothing but the heartbeat
// keeps two owners of an ID apart.
type blind struct {
	uid.Worker
	terms uid.Terms
}

func (b *blind) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	b.terms = t
	return b.widen(b.Worker.Acquire(ctx, t))
}

func (b *blind) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	return b.widen(b.Worker.Extend(ctx, through))
}

func (b *blind) widen(r uid.Reservation, err error) (uid.Reservation, error) {
	r.First, r.Last = b.terms.TickAt(time.Now()), b.terms.MaxTick
	r.Renew = min(r.Renew, math.MaxInt64-1)
	return r, err
}
