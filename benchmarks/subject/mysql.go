package subject

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/sqlstore"
)

// hiloStep is how many numbers the hi/lo takes at a time.
const hiloStep = 1000

// onMariaDB returns package segment on a database, and the usual ways to get IDs from one without
// it: a row per ID, or an update of one row per thousand IDs, the hi/lo that people write by hand.
func onMariaDB(db func() (*sqlx.DB, error)) []Subject {
	trips := questions(db)
	store := sync.OnceValues(func() (segment.Store, error) {
		db, err := db()
		if err != nil {
			return nil, err
		}
		tables, err := sqlstore.New(db, sqlstore.Config{})
		if err != nil {
			return nil, err
		}
		return tables.Segments(), nil
	})
	return []Subject{
		{
			Name: "segment-mysql", Label: "uid segment on MariaDB, GetUID", Kind: Ours, Bits: 63, Module: ours,
			Engine: MariaDB, Trips: trips,
			Open: func() (Source, error) { g, err := openSegment(store, segment.Config{}); return segments{g}, err },
		},
		{
			Name: "segment-mysql-fill", Label: "uid segment on MariaDB, Fill of 1,024, steps of 16 M", Kind: Ours,
			Bits: 63, Module: ours, Batches: true, Engine: MariaDB, Trips: trips,
			Open: func() (Source, error) {
				g, err := openSegment(store, segment.Config{MinStep: fillStep, MaxStep: fillStep})
				return segmentFills{segments{g}}, err
			},
		},
		{
			Name: "mysql-auto-increment", Label: "MariaDB, AUTO_INCREMENT", Kind: Server, Bits: 63, Shared: true,
			Engine: MariaDB, Trips: trips,
			Open: func() (Source, error) {
				db, err := db()
				if err != nil {
					return nil, err
				}
				_, err = db.Exec("CREATE TABLE IF NOT EXISTS BENCH_ROW (ID BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY)")
				return asked{func() (uint64, error) {
					r, err := db.Exec("INSERT INTO BENCH_ROW VALUES ()")
					if err != nil {
						return 0, err
					}
					id, err := r.LastInsertId()
					return uint64(id), err
				}}, err
			},
		},
		{
			Name: "mysql-hilo", Label: "MariaDB, segments of 1,000 (hi/lo)", Kind: Server, Bits: 63, Shared: true,
			Engine: MariaDB, Trips: trips,
			Open: func() (Source, error) {
				db, err := db()
				if err != nil {
					return nil, err
				}
				for _, q := range []string{
					"CREATE TABLE IF NOT EXISTS BENCH_HILO " +
						"(NAME VARCHAR(32) NOT NULL PRIMARY KEY, NEXT BIGINT NOT NULL)",
					"INSERT IGNORE INTO BENCH_HILO VALUES ('bench', 0)",
				} {
					if _, err := db.Exec(q); err != nil {
						return nil, err
					}
				}
				return &hilo{db: db}, nil
			},
		},
	}
}

// questions returns a function that counts the statements of all clients, less those by which it
// counts.
func questions(db func() (*sqlx.DB, error)) func() (int64, error) {
	var own atomic.Int64
	return func() (n int64, err error) {
		db, err := db()
		if err != nil {
			return 0, err
		}
		query := "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'"
		if err := db.Get(&n, query); err != nil {
			return 0, fmt.Errorf("count the statements: %w", err)
		}
		return n - own.Add(1), nil
	}
}

// An asked is a source that asks its server for each number. The caller owns the connections.
type asked struct{ next func() (uint64, error) }

func (s asked) Step() int64          { return 1 }
func (s asked) Draw(n int) error     { return each(n, func() error { _, err := s.next(); return err }) }
func (s asked) Keys(dst []Key) error { return keep(dst, func() (Key, error) { return word(s.next()) }) }

// A hilo updates its row once per thousand numbers, which it hands out from memory. It shares
// nothing with package segment.
type hilo struct {
	db *sqlx.DB

	mu        sync.Mutex
	next, end uint64 // guarded by mu
}

func (s *hilo) Step() int64          { return hiloStep }
func (s *hilo) Draw(n int) error     { return each(n, func() error { _, err := s.take(); return err }) }
func (s *hilo) Keys(dst []Key) error { return keep(dst, func() (Key, error) { return word(s.take()) }) }

func (s *hilo) take() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == s.end {
		take := fmt.Sprintf("UPDATE BENCH_HILO SET NEXT = LAST_INSERT_ID(NEXT + %d) WHERE NAME = 'bench'", hiloStep)
		r, err := s.db.Exec(take)
		if err != nil {
			return 0, err
		}
		end, err := r.LastInsertId()
		if err != nil {
			return 0, err
		}
		s.next, s.end = uint64(end)-hiloStep, uint64(end)
	}
	s.next++
	return s.next, nil
}
