package stores_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker/lease"
)

// A server is a database in memory that counts requests, and whose rows a test writes by hand.
type server struct {
	*far
	m       *drivers.Memory
	between func() // runs once, before the next Write
	reading func() // runs before each Read
}

func newServer() *server {
	m := &drivers.Memory{}
	return &server{far: &far{Driver: m}, m: m}
}

// made returns one with a namespace.
func made(t *testing.T) (*server, lease.Store) {
	t.Helper()
	s := newServer()
	return s, orders.Made(t, stores.New(s))
}

func (s *server) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if s.reading != nil {
		s.reading()
	}
	return s.far.Read(ctx, q)
}

func (s *server) Write(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
	if between := s.between; between != nil {
		s.between = nil
		between()
	}
	return s.far.Write(ctx, w)
}

func (s *server) count(do func()) int {
	before := s.requests.Load()
	do()
	return int(s.requests.Load() - before)
}

var ownKey = stores.Key{Namespace: "orders", ID: -1}.String()

func workerKey(id int64) string { return stores.Key{Namespace: "orders", ID: id}.String() }

// fill writes rows by hand, which are over since ago(id), or held where that is negative. The
// namespace then says that the last of them was the last that was given.
func (s *server) fill(ids lease.Range, ago func(id int64) time.Duration) {
	now := time.Now()
	for id := ids.First; id <= ids.Last; id++ {
		s.putRow(id, now.Add(-ago(id)))
	}
	s.m.Set(ownKey, given.ReplaceAllString(s.m.Text(ownKey), fmt.Sprintf(`"given":%d`, ids.Last)))
}

// putRow writes a row by hand.
func (s *server) putRow(id int64, until time.Time) {
	s.m.Set(workerKey(id), fmt.Sprintf(`{"v":2,"write":"%d","nonce":"n","high":7,"until":%d,`+
		`"layout":"l","holder":"h","acquired":0,"renewed":0}`, time.Now().UnixNano(), until.UnixMicro()))
}

var given = regexp.MustCompile(`"given":(-?\d+)`)

// given returns the highest worker ID that ever had a row.
func (s *server) given(t *testing.T) int64 {
	n, err := strconv.ParseInt(given.FindStringSubmatch(s.m.Text(ownKey))[1], 10, 64)
	require.NoError(t, err)
	return n
}

func held(int64) time.Duration { return -time.Hour }

// heldBut is held, but for some.
func heldBut(over ...int64) func(int64) time.Duration {
	return func(id int64) time.Duration {
		if slices.Contains(over, id) {
			return time.Hour + time.Duration(id)*time.Second
		}
		return -time.Hour
	}
}

// Nothing can be asked of a store without a driver.
func TestNoDriver(t *testing.T) {
	s := stores.New(nil)
	_, err := orders.Leases(t, s).Inspect(t.Context())
	logtest.Error(t, err, uid.ErrConfig, "New was given no driver")
	err = s.Segments().Change(t.Context(), "orders", func(*storage.Segment) error { return nil })
	logtest.Error(t, err, uid.ErrConfig, "New was given no driver")
}

// A Take fails when any of its reads does.
func TestTakeWithoutAnAnswer(t *testing.T) {
	s, l := made(t)
	const rows = 5000
	s.fill(lease.Range{First: 0, Last: rows - 1}, held)
	all := orders.Wanted(0, rows-1)
	read := s.count(func() { require.ErrorIs(t, l.Take(t.Context(), all, orders.Unasked(t)), uid.ErrNoWorkerID) })
	require.Greater(t, read, 10, "it has read them all")
	for answered := range read {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		s.reading = func() {
			if reads++; reads > answered {
				cancel()
			}
		}
		require.ErrorIs(t, l.Take(ctx, all, orders.Unasked(t)), context.Canceled, answered)
	}
}

// A large namespace is not read as a whole.
func TestLargeNamespace(t *testing.T) {
	s, l := made(t)
	const rows = 5000
	s.fill(lease.Range{First: 0, Last: rows - 1}, held)
	all := orders.Wanted(0, 1<<22-1)
	var ids []int64
	require.LessOrEqual(t, s.count(func() {
		for range 3 {
			ids = append(ids, orders.Taken(t, l, all, time.Hour).WorkerID)
		}
	}), 3*3+2, "one more than usual each, and two for new rows")
	require.EqualValues(t, rows, ids[0], "none is over: the ID above all rows")
	require.EqualValues(t, rows+99, s.given(t), "the others are of the rows that were made with it")
	before := s.bytes.Load()
	require.NoError(t, s.looks(l, all))
	require.Less(t, s.bytes.Load()-before, int64(600*200), "bytes for a look, of %d rows", rows)

	// Of the first rows the one that has been over for longest.
	s.fill(lease.Range{First: 0, Last: rows - 1}, heldBut(7, 200, 30))
	require.EqualValues(t, 200, orders.Taken(t, l, all, time.Hour).WorkerID)
	require.EqualValues(t, 30, orders.Taken(t, l, all, time.Hour).WorkerID)

	// When a good part is over, a look finds one of them anywhere.
	s.fill(lease.Range{First: 0, Last: rows - 1}, func(id int64) time.Duration {
		return map[bool]time.Duration{true: time.Hour, false: -time.Hour}[id > 300]
	})
	id := orders.Taken(t, l, all, time.Hour).WorkerID
	require.Greater(t, id, int64(300))
	require.Less(t, id, int64(rows))
}

// Rows that somebody has made are taken before there are more, however large the namespace is, and
// however many are made while a Take looks.
func TestNewRowsAreFound(t *testing.T) {
	const rows = 5000
	s, l := made(t)
	s.fill(lease.Range{First: 0, Last: rows - 1}, held)
	got := map[int64]bool{}
	for range 100 {
		got[orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID] = true
	}
	require.Len(t, got, 100)
	require.EqualValues(t, rows+99, s.given(t))
	s.between = func() { s.fill(lease.Range{First: rows + 100, Last: rows + 399}, heldBut(rows+399)) }
	require.EqualValues(t, rows+399, orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID,
		"the only one of 300 that nobody has")
	require.EqualValues(t, rows+399, s.given(t))
}

// A row that somebody puts back above Given, while a Take makes new ones, is not overwritten.
func TestRowAboveGiven(t *testing.T) {
	for at, given := range map[int64]int64{0: 100, 5: 21, 15: 31} {
		s, l := made(t)
		s.between = func() { s.putRow(at, time.Now().Add(time.Hour)) }
		require.EqualValues(t, at+1, orders.Taken(t, l, orders.Wanted(0, 1000), time.Hour).WorkerID)
		require.Contains(t, s.m.Text(workerKey(at)), `"high":7`)
		require.EqualValues(t, given, s.given(t))
	}
}

// looks makes a Take that only looks.
func (s *server) looks(l lease.Store, w storage.Wanted) error {
	look := errors.New("a look")
	decide := func(*storage.Namespace, *storage.Lease, storage.Clock) error { return look }
	err := l.Take(context.Background(), w, decide)
	if errors.Is(err, look) {
		return nil
	}
	return err
}

// When all IDs have rows, all are read until one is found that is free, or none.
func TestFullNamespace(t *testing.T) {
	s, l := made(t)
	const last = 2999
	w := orders.Wanted(0, last)
	s.fill(lease.Range{First: 0, Last: last}, heldBut(2345))
	require.EqualValues(t, 2345, orders.Taken(t, l, w, time.Hour).WorkerID)

	// Who loses the one that was found is offered another of its page at once.
	over := map[int64]time.Duration{2344: time.Hour, 2345: 2 * time.Hour, 2346: time.Hour}
	s.fill(lease.Range{First: 0, Last: last}, func(id int64) time.Duration { return cmp.Or(over[id], -time.Hour) })
	var before int64
	s.between = func() {
		before = s.requests.Load()
		s.putRow(2345, time.Now().Add(time.Hour))
	}
	require.Contains(t, []int64{2344, 2346}, orders.Taken(t, l, w, time.Hour).WorkerID)
	require.LessOrEqual(t, s.requests.Load()-before, int64(2))

	s.fill(lease.Range{First: 0, Last: last}, held)
	var err error
	requests := s.count(func() { err = s.looks(l, w) })
	require.ErrorIs(t, err, uid.ErrNoWorkerID)
	require.LessOrEqual(t, requests, 1+(last+1)/500+2)

	// The first one to be free is named, wherever it is.
	s.fill(lease.Range{First: 0, Last: last}, func(id int64) time.Duration {
		return -time.Hour - time.Duration(max(id, 1234)-min(id, 1234))*time.Second
	})
	first := time.Now().Add(time.Hour)
	err = s.looks(l, w)
	logtest.Error(t, err, uid.ErrNoWorkerID, "of 0 to 2999", first.Add(time.Minute).UTC().Format("2006-01-02T15"))

	// An ID whose row was deleted is named, and not given.
	s.m.Set(workerKey(1777), "")
	require.ErrorContains(t, s.looks(l, w), "worker ID 1777 has no row")

	// The last resort is a row with ticks of the future, when nothing else is left.
	s.fill(lease.Range{First: 0, Last: last}, heldBut(2222))
	w.Highest = func(time.Time) int64 { return 6 }
	s.m.Set(workerKey(1777), "")
	require.EqualValues(t, 2222, orders.Taken(t, l, w, time.Hour).WorkerID)
}

// A namespace that owns a range looks for free IDs in there.
func TestRangeOfItsOwn(t *testing.T) {
	s, l := made(t)
	orders.Set(t, l, func(n *storage.Namespace) { n.IDs = lease.Range{First: 2000, Last: 3999} })
	require.EqualValues(t, 2000, orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID)
	s.fill(lease.Range{First: 1000, Last: 2999}, held)
	require.EqualValues(t, 3000, orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID)
	s.fill(lease.Range{First: 1000, Last: 4999}, func(id int64) time.Duration {
		return map[bool]time.Duration{true: -time.Hour, false: time.Hour}[id >= 2000 && id <= 3999 && id != 3456]
	})
	require.EqualValues(t, 3456, orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID)
	require.ErrorIs(t, s.looks(l, orders.Wanted(0, 1<<22)), uid.ErrNoWorkerID)

	// The sample is of the range, not of all IDs that are asked for.
	orders.Set(t, l, func(n *storage.Namespace) { n.IDs = lease.Range{First: 1 << 21, Last: 1<<22 - 1} })
	s.fill(lease.Range{First: 1 << 21, Last: 1<<21 + 2999}, func(id int64) time.Duration {
		return map[bool]time.Duration{true: time.Hour, false: -time.Hour}[id > 1<<21+300 && id < 1<<21+2800]
	})
	id := orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID
	require.Less(t, id, int64(1<<21+3000), "one that is over")

	must := orders.Wanted(1999, 2001)
	must.Must = lease.Range{First: 1999, Last: 2001}
	require.ErrorIs(t, s.looks(l, must), uid.ErrRange)
}

// The largest number there is is no ID: views count from ID to ID, and never come behind it.
func TestLargestID(t *testing.T) {
	for id, is := range map[int64]bool{1 << 62: true, math.MaxInt64 - 1: true, math.MaxInt64: false} {
		_, ok := stores.ParseKey(stores.Key{Namespace: "orders", ID: id}.String())
		require.Equal(t, is, ok, id)
	}
}

// A namespace that is made anew knows the rows that are left of a former one.
func TestRowsAreLeft(t *testing.T) {
	s, l := made(t)
	s.fill(lease.Range{First: 0, Last: 1200}, held)
	s.m.Set(ownKey, "")
	orders.Made(t, stores.New(s))
	require.EqualValues(t, 1200, s.given(t))
	require.EqualValues(t, 1201, orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour).WorkerID)
}
