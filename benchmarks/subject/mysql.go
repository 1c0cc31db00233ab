package subject

import (
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"
)

// segmentStep is the number of IDs in a segment.
const segmentStep = 1000

// MySQL returns the usual ways to get IDs from a database: a row per ID, or an update of
// one row per thousand IDs.
func MySQL(db func() (*sqlx.DB, error)) []Subject {
	return []Subject{
		{
			Name: "mysql-auto-increment", Label: "MariaDB, AUTO_INCREMENT", Kind: Server, Bits: 63, Shared: true,
			Open: func() (Source, error) {
				db, err := db()
				if err != nil {
					return nil, err
				}
				_, err = db.Exec("CREATE TABLE IF NOT EXISTS BENCH_ROW (ID BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY)")
				return rows{db: db}, err
			},
		},
		{
			Name: "mysql-segment", Label: "MariaDB, segments of 1,000 (hi/lo)", Kind: Server, Bits: 63, Shared: true,
			Open: func() (Source, error) {
				db, err := db()
				if err != nil {
					return nil, err
				}
				for _, q := range []string{
					"CREATE TABLE IF NOT EXISTS BENCH_SEGMENT (NAME VARCHAR(32) NOT NULL PRIMARY KEY, NEXT BIGINT NOT NULL)",
					"INSERT IGNORE INTO BENCH_SEGMENT VALUES ('bench', 0)",
				} {
					if _, err := db.Exec(q); err != nil {
						return nil, err
					}
				}
				return &segment{db: db}, nil
			},
		},
	}
}

type rows struct {
	db             *sqlx.DB
	nothingToClose // the caller owns the pool
}

func (s rows) Drawer() Drawer { return s }

func (s rows) next() (uint64, error) {
	r, err := s.db.Exec("INSERT INTO BENCH_ROW VALUES ()")
	if err != nil {
		return 0, err
	}
	id, err := r.LastInsertId()
	return uint64(id), err
}

func (s rows) Draw(n int) error {
	for range n {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

func (s rows) Keys(dst []Key) (err error) {
	for i := range dst {
		if dst[i][0], err = s.next(); err != nil {
			return err
		}
	}
	return nil
}

// A segment updates its row once per thousand numbers, which it hands out from memory.
type segment struct {
	db *sqlx.DB
	nothingToClose

	mu        sync.Mutex
	next, end uint64 // guarded by mu
}

func (s *segment) Drawer() Drawer { return s }

func (s *segment) take() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == s.end {
		r, err := s.db.Exec(fmt.Sprintf("UPDATE BENCH_SEGMENT SET NEXT = LAST_INSERT_ID(NEXT + %d) WHERE NAME = 'bench'", segmentStep))
		if err != nil {
			return 0, err
		}
		end, err := r.LastInsertId()
		if err != nil {
			return 0, err
		}
		s.next, s.end = uint64(end)-segmentStep, uint64(end)
	}
	s.next++
	return s.next, nil
}

func (s *segment) Draw(n int) error {
	for range n {
		if _, err := s.take(); err != nil {
			return err
		}
	}
	return nil
}

func (s *segment) Keys(dst []Key) (err error) {
	for i := range dst {
		if dst[i][0], err = s.take(); err != nil {
			return err
		}
	}
	return nil
}
