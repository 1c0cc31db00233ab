package migrating

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/faulty"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A leafService has numbers in hand, as Leaf's SegmentIDGenImpl, which takes them by the two
// statements of its IDAllocMapper.
type leafService struct {
	db        table
	tag       string
	next, max int64
}

func (l *leafService) write() (any, error) {
	if l.next == l.max {
		tx, err := l.db.Beginx()
		if err != nil {
			return nil, err
		}
		defer tx.Rollback() // does nothing after the commit
		if _, err = tx.Exec("UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = ?", l.tag); err != nil {
			return nil, err
		}
		var tag string
		var step int64
		if err = tx.QueryRow("SELECT biz_tag, max_id, step FROM leaf_alloc WHERE biz_tag = ?", l.tag).Scan(&tag, &l.max, &step); err != nil {
			return nil, err
		}
		l.next = l.max - step
		if err := tx.Commit(); err != nil {
			return nil, err
		}
	}
	l.next++
	return l.next - 1, nil
}

func segments(t testing.TB, o table, tag string, cfg segment.Config) *segment.Generator {
	t.Helper()
	tables, err := sqlstore.New(o.DB, sqlstore.Config{Logger: quiet})
	require.NoError(t, err)
	cfg.Logger, cfg.LossyStore = quiet, true // the test's server forgets its newest commits in a crash
	g, err := segment.New(segment.Source{Store: tables.Segments(), Tag: tag}, cfg)
	require.NoError(t, err)
	return g
}

// Leaf's segments: Go services take numbers from the same row.
func TestRollingBesideLeaf(t *testing.T) {
	o := newTable(t, "BIGINT")
	kit.Do(t, o.DB, faulty.LeafTable, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 1, 50)")
	one, two := &leafService{db: o, tag: "orders"}, &leafService{db: o, tag: "orders"}
	o.write(t, 200, map[string]writer{"leaf 1": one.write, "leaf 2": two.write})

	small := segment.Config{MinStep: 100, MaxStep: 100}
	g := segments(t, o, "orders", small)
	o.write(t, 400, map[string]writer{"leaf 2": two.write, "go": of(g)})
	// Back: Leaf knows nothing of the takers, and goes on above what was taken.
	require.NoError(t, g.Close())
	three := &leafService{db: o, tag: "orders"}
	o.write(t, 200, map[string]writer{"leaf 2": two.write, "leaf 3": three.write})
	g = segments(t, o, "orders", small)
	o.write(t, 300, map[string]writer{"go": of(g)})
	require.NoError(t, g.Close())

	// Each number up to the highest is a row, in the hands of a Leaf service, or was in those of
	// the Go service when it closed after another one had taken numbers: two segments at most.
	highest := o.edge(t, "MAX(id)", "%")
	inHand := 0
	for _, s := range []*leafService{one, two, three} {
		inHand += int(max(0, min(s.max-1, highest)-s.next+1))
	}
	skipped := highest - int64(o.count(t)+inHand)
	require.GreaterOrEqual(t, skipped, int64(0))
	require.LessOrEqual(t, skipped, int64(2*small.MaxStep))

	// What the row gives next is above all.
	var maxID int64
	require.NoError(t, o.Get(&maxID, "SELECT max_id FROM leaf_alloc WHERE biz_tag = 'orders'"))
	require.Greater(t, maxID, highest)
}

// A second row that begins where Leaf's stands gives Leaf's next numbers out again.
func TestACopyOfLeafsRow(t *testing.T) {
	o := newTable(t, "BIGINT")
	kit.Do(t, o.DB, faulty.LeafTable, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 1, 50)")
	leaf := &leafService{db: o, tag: "orders"}
	o.write(t, 50, map[string]writer{"leaf": leaf.write})
	kit.Do(t, o.DB, "INSERT INTO leaf_alloc (biz_tag, max_id, step) SELECT 'orders2', max_id, step FROM leaf_alloc")
	g := segments(t, o, "orders2", segment.Config{})
	o.write(t, 10, map[string]writer{"leaf": leaf.write})
	o.refuses(t, drawn(t, g))

	// A misspelt tag begins nothing.
	_, err := segments(t, o, "order", segment.Config{}).GetUID()
	require.ErrorIs(t, err, segment.ErrNoTag)
}

// Leaf's server answers a number as text, which is what uid.Parse reads.
func TestLeafsAnswer(t *testing.T) {
	for _, n := range []int64{1, 1 << 53, int64(uid.Max)} {
		u, err := uid.Parse(strconv.FormatInt(n, 10))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(n), u.String())
	}
}
