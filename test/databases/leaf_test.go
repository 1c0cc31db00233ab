package databases_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
)

// createLeaf is the statement by which Leaf's documentation has its table made.
const createLeaf = `CREATE TABLE leaf_alloc (
  biz_tag varchar(128)  NOT NULL DEFAULT '',
  max_id bigint NOT NULL DEFAULT '1',
  step int NOT NULL,
  description varchar(256)  DEFAULT NULL,
  update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (biz_tag)
) ENGINE=InnoDB`

// mapper takes a segment by the two statements of Leaf's IDAllocMapper: of n numbers or, for 0, of
// the row's step, which it returns. It tries again what a database refuses because of others.
//
// Leaf's driver sends parameters within the statement, and with Galera d.admin has to do so, too
// (interpolateParams): there a transaction that was undone between two prepared statements can go
// on as if it were not.
func (d *faultyDatabase) mapper(tag string, n int64) (r storage.Numbers, err error) {
	update, args := "UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = ?", []any{tag}
	if n > 0 {
		update, args = "UPDATE leaf_alloc SET max_id = max_id + ? WHERE biz_tag = ?", []any{n, tag}
	}
	err = insist(func() error {
		tx, err := d.admin.Beginx()
		if err != nil {
			return err
		}
		defer tx.Rollback() // does nothing after the commit
		result, err := tx.Exec(tx.Rebind(update), args...)
		if err != nil {
			return err
		}
		if changed, err := result.RowsAffected(); err != nil || changed != 1 {
			return fmt.Errorf("%d rows of tag %q were changed: %w", changed, tag, err)
		}
		var maxID, step int64
		query := tx.Rebind("SELECT biz_tag, max_id, step FROM leaf_alloc WHERE biz_tag = ?")
		if err := tx.QueryRow(query, tag).Scan(&tag, &maxID, &step); err != nil {
			return err
		}
		r = storage.Numbers{First: maxID - cmp.Or(n, step), Last: maxID - 1}
		return tx.Commit()
	})
	return r, err
}

// besideLeaf lets processes with Leaf and stores of this module take numbers of one tag at the same
// time, in so many rounds each, of a table that Leaf has used before. Each number is given out
// once, and none is left out.
func (d *faultyDatabase) besideLeaf(t *testing.T, rounds int) {
	const tag, each = "leaf-segment-test", 3
	engines.Do(t, d.admin, "INSERT INTO leaf_alloc (biz_tag, max_id, step, description) "+
		"VALUES ('"+tag+"', 1, 2000, 'Test leaf Segment Mode Get Id')")
	first, err := d.mapper(tag, 0)
	require.NoError(t, err)
	require.Equal(t, storage.Numbers{First: 1, Last: 2000}, first)
	var takes []func() (storage.Numbers, error)
	for i := range each {
		tables, _ := d.open()
		store, nonce := tables.Segments(), fmt.Sprint("go", i)
		takes = append(takes, func() (storage.Numbers, error) {
			return d.mapper(tag, max(0, rand.Int64N(8000)-4000)) // often 0, which is the row's step
		}, func() (r storage.Numbers, err error) {
			n := 1 + rand.Int64N(5000)
			err = store.Change(t.Context(), tag, func(row *storage.Segment) error {
				r = storage.Numbers{First: row.Next, Last: row.Next + n - 1}
				row.Next += n
				mine := func(k storage.Taker) bool { return k.Nonce == nonce }
				row.Takers = append(slices.DeleteFunc(row.Takers, mine), storage.Taker{Nonce: nonce, Last: r.Last})
				return nil
			})
			return r, err
		})
	}
	got := []storage.Numbers{first}
	var mu sync.Mutex
	for range rounds { // together, so that none starves where a lock has no queue, as that of a SQLite file
		var round sync.WaitGroup
		for _, take := range takes {
			round.Go(func() {
				r, err := take()
				for err != nil && strings.Contains(err.Error(), "database is locked") {
					r, err = take() // it has waited for too long
				}
				mu.Lock()
				defer mu.Unlock()
				assert.NoError(t, err)
				got = append(got, r)
			})
		}
		round.Wait()
	}
	require.False(t, t.Failed())
	require.Len(t, got, 1+2*each*rounds)
	slices.SortFunc(got, func(a, b storage.Numbers) int { return cmp.Compare(a.First, b.First) })
	next := int64(1)
	for _, r := range got {
		require.Equal(t, next, r.First, "numbers are given out twice, or left out")
		next = r.Last + 1
	}
	tables, _ := d.open()
	rows := rowsOf(t, tables.Segments())
	require.Len(t, rows, 1)
	row := rows[0]
	require.Equal(t, next, row.Next)
	require.EqualValues(t, 2000, row.Step)
	require.Equal(t, "Test leaf Segment Mode Get Id", row.Description)
	require.Len(t, row.Takers, each)
	t.Logf("%d segments up to %d", len(got), next-1)
}
