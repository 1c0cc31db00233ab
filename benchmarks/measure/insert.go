package measure

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
)

const (
	insertWriters   = 4   // connections that insert at the same time
	insertBatch     = 500 // rows of one statement, which is a transaction
	insertPayload   = 100 // bytes of a row besides its key
	pageSplitMetric = "index_page_splits"
)

// insert fills a table for each kind of key. The tables grow in turns, some rows in each
// round, so that all meet the server in the same state.
func insert(p Profile, db func() (*sqlx.DB, error)) []Task {
	open := make(map[string]*table)
	var cells []Task
	for _, kind := range keyKinds {
		cells = append(cells, Task{
			Phase: "insert", Estimate: time.Duration(p.Rows/p.Rounds)*9*time.Microsecond + 20*time.Millisecond,
			Run: func(r *Recorder) error {
				db, err := db()
				if err != nil {
					return err
				}
				t := open[kind.name]
				if t == nil {
					if t, err = newTable(db, kind); err != nil {
						return fmt.Errorf("table of %s: %w", kind.name, err)
					}
					open[kind.name] = t
				}
				rows := p.Rows / p.Rounds
				took, splits, err := t.grow(rows)
				if err != nil {
					return fmt.Errorf("insert %s: %w", kind.name, err)
				}
				size, err := t.size()
				if err != nil {
					return fmt.Errorf("size of %s: %w", kind.name, err)
				}
				if t.rows == p.Rows/p.Rounds*p.Rounds {
					t.end()
				}
				return r.record("Insert/key="+kind.name, runtime.GOMAXPROCS(0), rows,
					value(float64(rows)/took.Seconds(), "rows/s"),
					value(float64(splits), "page-splits"),
					value(float64(t.rows), "rows"),
					value(float64(size), "table-bytes"))
			},
		})
	}
	return inRounds(p.Rounds, cells)
}

type table struct {
	db   *sqlx.DB
	name string
	next func() (string, error)
	end  func()
	rows int
}

func newTable(db *sqlx.DB, kind keyKind) (*table, error) {
	next, end, err := kind.open()
	if err != nil {
		return nil, err
	}
	t := &table{db: db, name: "KEY_" + strings.ToUpper(strings.ReplaceAll(kind.name, "-", "_")), next: next, end: end}
	for _, q := range []string{
		"SET GLOBAL innodb_monitor_enable = '" + pageSplitMetric + "'",
		"DROP TABLE IF EXISTS " + t.name,
		fmt.Sprintf("CREATE TABLE %s (ID %s NOT NULL PRIMARY KEY, PAYLOAD BINARY(%d) NOT NULL) ENGINE = InnoDB", t.name, kind.column, insertPayload),
	} {
		if _, err := db.Exec(q); err != nil {
			end()
			return nil, err
		}
	}
	return t, nil
}

// grow inserts rows, and returns how long it took and how many pages the server split.
func (t *table) grow(rows int) (took time.Duration, splits int64, err error) {
	before, err := t.pageSplits()
	if err != nil {
		return 0, 0, err
	}
	batches := make(chan int, rows/insertBatch+1)
	for left := rows; left > 0; left -= insertBatch {
		batches <- min(left, insertBatch)
	}
	close(batches)
	errs := make([]error, insertWriters)
	var ended sync.WaitGroup
	began := time.Now()
	for i := range insertWriters {
		ended.Go(func() {
			for n := range batches {
				if errs[i] = t.insert(n); errs[i] != nil {
					return
				}
			}
		})
	}
	ended.Wait()
	took = time.Since(began)
	for _, err := range errs {
		if err != nil {
			return 0, 0, err
		}
	}
	t.rows += rows
	after, err := t.pageSplits()
	return took, after - before, err
}

var payload = strings.Repeat("x", insertPayload)

func (t *table) insert(n int) error {
	var q strings.Builder
	q.WriteString("INSERT INTO " + t.name + " VALUES ")
	for i := range n {
		key, err := t.next()
		if err != nil {
			return err
		}
		if i > 0 {
			q.WriteByte(',')
		}
		fmt.Fprintf(&q, "(%s,'%s')", key, payload)
	}
	_, err := t.db.Exec(q.String())
	return err
}

// pageSplits returns how many index pages the server has split so far.
func (t *table) pageSplits() (n int64, err error) {
	err = t.db.Get(&n, "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = ?", pageSplitMetric)
	return n, err
}

// size returns the bytes of the table's pages.
func (t *table) size() (n int64, err error) {
	if _, err := t.db.Exec("ANALYZE TABLE " + t.name); err != nil {
		return 0, err
	}
	err = t.db.Get(&n, "SELECT DATA_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", t.name)
	return n, err
}
