package sqlstore_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/sqlstore"
)

// takes decides to take ten numbers, and counts its calls.
func takes(runs *int) func(*storage.Segment) error {
	return func(r *storage.Segment) error {
		*runs++
		if r.Fresh {
			r.Fresh, r.Next, r.Step = false, 1, 1
		}
		r.Next += 10
		return nil
	}
}

var errLook = errors.New("only a look")

func looks(*storage.Segment) error { return errLook }

func TestSegmentTableIsNamed(t *testing.T) {
	for _, c := range []struct{ name, driver, is string }{
		{"", "mysql", "leaf_alloc"}, {"", "pgx", "leaf_alloc"}, {"Segments_2", "sqlite", "Segments_2"},
		{strings.Repeat("a", 57), "mysql", strings.Repeat("a", 57)},
		{strings.Repeat("a", 56), "pgx", strings.Repeat("a", 56)},
	} {
		d, err := sqlstore.New((&fakeDB{}).open(t, c.driver), sqlstore.Config{SegmentTable: c.name})
		require.NoError(t, err)
		require.Equal(t, "table "+c.is, d.Segments().Name())
	}
	for name, driver := range map[string]string{strings.Repeat("a", 58): "mysql", strings.Repeat("b", 57): "pgx",
		"a`; DROP TABLE x": "mysql", "a b": "sqlite"} {
		_, err := sqlstore.New((&fakeDB{}).open(t, driver), sqlstore.Config{SegmentTable: name})
		require.ErrorIs(t, err, uid.ErrConfig, name)
	}
}

// Errors that may pass are marked, at any step, and no error has a secret.
func TestSegmentFailures(t *testing.T) {
	for _, c := range []struct {
		err    error
		passes bool
		says   string
	}{
		{&mysql.MySQLError{Number: 1047, Message: "hunter2"}, true, "1047: the node is not ready"},
		{driver.ErrBadConn, true, "bad connection"},
		{dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED)), true, "connection refused"},
		{context.DeadlineExceeded, true, "deadline exceeded"},
		{&mysql.MySQLError{Number: 1142, Message: "hunter2"}, false, "1142: access denied"},
		{&mysql.MySQLError{Number: 1264, Message: "Out of range value for column 'max_id' of hunter2"},
			false, "out of its column's range: MAX_ID"},
		{&mysql.MySQLError{Number: 65000, Message: "hunter2"}, false, "withheld"},
		{errors.New("hunter2"), false, "withheld"},
	} {
		for _, at := range []struct {
			step string
			row  []driver.Value
		}{
			{"connect", leafRow()}, {"select", leafRow()}, {"update", leafRow()},
			{"set", nil}, {"begin", nil}, {"insert", nil}, {"commit", nil},
			{"insert", append(leafRow()[:5], nil, nil)}, // Leaf's alone
		} {
			t.Run(fmt.Sprint(c.err, " at ", at.step), func(t *testing.T) {
				fake := &fakeSegments{row: at.row, steps: failing(at.step, 9, c.err)}
				s := fake.store(t)
				runs := 0
				err := s.Change(t.Context(), "orders", takes(&runs))
				require.ErrorContains(t, err, c.says)
				require.Equal(t, c.passes, retry.IsTransient(err), "%v", err)
				require.NotContains(t, logtest.Texts(err), "hunter2")
				require.LessOrEqual(t, runs, 1, "an outcome that is open is left to the caller")
				fake.fail = nil
				require.NoError(t, s.Change(t.Context(), "orders", func(r *storage.Segment) error {
					fake.row = leafRow() // as if it had been stored
					return takes(&runs)(r)
				}))
			})
		}
	}
}

// One of two concurrent writes is refused, and decided anew, with a row that may exist by then.
func TestSegmentConflicts(t *testing.T) {
	for _, number := range []uint16{1062, 1205, 1213, 1020} {
		for _, at := range []struct {
			step string
			row  []driver.Value
		}{{"update", leafRow()}, {"insert", nil}, {"commit", nil}, {"insert", append(leafRow()[:5], nil, nil)}} {
			fake := &fakeSegments{row: at.row, steps: failing(at.step, 40, &mysql.MySQLError{Number: number})}
			runs := 0
			decide := takes(&runs)
			require.NoError(t, fake.store(t).Change(t.Context(), "orders", func(r *storage.Segment) error {
				if runs == 41 && at.row != nil {
					fake.row = leafRow()
				}
				return decide(r)
			}), "%d at %s", number, at.step)
			require.GreaterOrEqual(t, runs, 41)
			require.Equal(t, fake.calls("select"), runs)
		}
	}
}

// A write that changes no row has lost to another one, unless the next read finds the row unchanged: then something
// else has prevented the write.
func TestSegmentsUnconfirmed(t *testing.T) {
	fake := &fakeSegments{row: leafRow(), changes: func(int) int64 { return 0 }}
	runs := 0
	err := fake.store(t).Change(t.Context(), "orders", takes(&runs))
	logtest.Error(t, err, uid.ErrConfig,
		`tag "orders" in table leaf_alloc changed 0 rows, though no other client has written: is`)
	require.False(t, retry.IsTransient(err))
	require.Equal(t, 2, runs)

	fake = &fakeSegments{row: leafRow(), changes: func(int) int64 { return 0 }, sessions: 2}
	err = fake.store(t).Change(t.Context(), "orders", takes(&runs))
	require.ErrorContains(t, err, "does a proxy share connections?")
	require.True(t, retry.IsTransient(err))

	for i, other := range map[int]driver.Value{1: "1002", 2: "1001", 3: "for People", 5: "N2", 6: ""} {
		fake = &fakeSegments{row: leafRow(), changes: missFirst}
		runs = 0
		decide := takes(&runs)
		require.NoError(t, fake.store(t).Change(t.Context(), "orders", func(r *storage.Segment) error {
			fake.row[i] = other
			return decide(r)
		}))
		require.Equal(t, 2, runs, "another one has written column %d", i)
	}

	fake = &fakeSegments{row: leafRow(), changes: func(int) int64 { return 3 }}
	err = fake.store(t).Change(t.Context(), "orders", takes(&runs))
	logtest.Error(t, err, uid.ErrConfig, "changed 3 rows, not 2")
	fake = &fakeSegments{row: leafRow(), changes: func(int) int64 { return 1 }}
	require.NoError(t, fake.store(t).Change(t.Context(), "orders", takes(&runs)), "Leaf's row may be as it was")
}

// A Change that loses again and again goes on until its context ends.
func TestSegmentRacesEndWithTheContext(t *testing.T) {
	fake := &fakeSegments{row: leafRow(), changes: func(int) int64 { return 0 }}
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	decide := takes(&runs)
	err := fake.store(t).Change(ctx, "orders", func(r *storage.Segment) error {
		if fake.row[1] = fmt.Sprint(runs); runs == 500 {
			cancel()
		}
		return decide(r)
	})
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, retry.IsTransient(err))
	require.ErrorContains(t, err, "others have written it before, 501 times in a row")
	require.Equal(t, 501, runs)
}

// A row with bad numbers is refused with these, before any decision.
func TestRowsThatAreNone(t *testing.T) {
	for _, c := range []struct {
		column int
		value  driver.Value
		says   string
	}{
		{1, "-1", "the next number of tag \"orders\" is -1"},
		{1, "-9223372036854775808", "is -9223372036854775808"},
		{1, "9223372036854775808",
			`max_id of tag "orders" is "9223372036854775808", want an integer from 0 to 9223372036854775807`},
		{1, "18446744073709551615", `is "18446744073709551615"`},
		{1, "many", `is "many"`},
		{1, nil, `max_id of tag "orders" is NULL`},
		{1, "", `max_id of tag "orders" is ""`},
		{1, 1.5, `is "1.5"`},
		{1, 1e18, `is "1e+18"`},
		{1, strings.Repeat("7", 4000), `is "` + strings.Repeat("7", 40) + `"`},
		{2, "0", `the step of tag "orders" is 0, want 1 to 2147483647`},
		{2, "-1000", "is -1000"},
		{2, "2147483648", "is 2147483648"},
		{2, nil, `step of tag "orders" is NULL`},
		{3, strings.Repeat("x", 257), "257 characters"},
		{6, "[]", `the takers of tag "orders"`},
		{6, `{"v":3,"takers":[]}`, "a newer version"},
		{6, `{"v":1,"takers":[{"nonce":"A","last":5}]}`, "it has no version that is known"},
		{6, `{"v":2,"writes":1,"floor":1,"takers":["A -2"]}`, "-2"},
		{6, `{"v":2,"writes":1,"floor":-3,"takers":["A 2"]}`, "-3"},
	} {
		fake := &fakeSegments{row: leafRow()}
		fake.row[c.column] = c.value
		runs := 0
		err := fake.store(t).Change(t.Context(), "orders", takes(&runs))
		logtest.Error(t, err, uid.ErrRange, c.says)
		require.Less(t, len(err.Error()), 300)
		require.False(t, retry.IsTransient(err))
		require.Zero(t, runs)
		require.Empty(t, fake.sent)
	}
	fake := &fakeSegments{row: leafRow(), twice: true}
	err := fake.store(t).Change(t.Context(), "orders", looks)
	logtest.Error(t, err, uid.ErrConfig, `more than one row of tag "orders"`)
}

// A row that the tables cannot hold is refused before any statement.
func TestRowsThatCannotBeStored(t *testing.T) {
	for says, spoil := range map[string]func(*storage.Segment){
		"is 0, want":      func(r *storage.Segment) { r.Step = 0 },
		"not valid UTF-8": func(r *storage.Segment) { r.Description = "a\xff" },
		"zero byte":       func(r *storage.Segment) { r.Description = "a\x00b" },
	} {
		for _, row := range [][]driver.Value{leafRow(), nil} {
			fake := &fakeSegments{row: row}
			err := fake.store(t).Change(t.Context(), "orders", func(r *storage.Segment) error {
				r.Step, r.Fresh = 1, false
				spoil(r)
				return nil
			})
			logtest.Error(t, err, uid.ErrRange, says)
			require.Empty(t, fake.sent)
		}
	}
	for tag, is := range map[string]error{"": uid.ErrRange, strings.Repeat("a", 129): uid.ErrRange,
		"bücher": uid.ErrConfig, "a ": uid.ErrConfig, "a\x00": uid.ErrConfig} {
		fake := &fakeSegments{row: leafRow()}
		require.ErrorIs(t, fake.store(t).Change(t.Context(), tag, looks), is, "%q", tag)
		require.Zero(t, fake.calls("connect"))
	}
}

// missFirst makes the first write change no row.
func missFirst(n int) int64 { return map[bool]int64{true: 0, false: 2}[n == 1] }

// A second decision begins with the rows that were read then, and the tag stays the same.
func TestDecisionsKeepToTheRow(t *testing.T) {
	fake := &fakeSegments{row: leafRow(), changes: missFirst}
	runs := 0
	require.NoError(t, fake.store(t).Change(t.Context(), "orders", func(r *storage.Segment) error {
		runs++
		fake.row[5] = fmt.Sprint("N", runs+1)
		require.Equal(t, []storage.Taker{{Nonce: "A", Last: 1000}}, r.Takers)
		require.Equal(t, time.UnixMicro(1_700_000_000_000_000).UTC(), r.Updated)
		r.Takers[0].Last, r.Tag = 2000, "others"
		return nil
	}))
	require.Equal(t, 2, runs)
	require.Contains(t, fake.sent[1], "a.biz_tag = _utf8mb4 X'"+fmt.Sprintf("%x", "orders")+"'")
	require.NotContains(t, fake.sent[1], fmt.Sprintf("%x", "others"))

	fake = &fakeSegments{}
	require.NoError(t, fake.store(t).Change(t.Context(), "orders", func(r *storage.Segment) error {
		r.Tag, r.Step = "others", 1
		return nil
	}))
	require.NotContains(t, strings.Join(fake.sent, "\n"), fmt.Sprintf("%x", "others"))
}

// A session that leaves a transaction open has to commit, or to roll back.
func TestSegmentsInATransaction(t *testing.T) {
	fake := &fakeSegments{row: leafRow(), open: true}
	require.NoError(t, fake.store(t).Change(t.Context(), "orders", takes(new(int))))
	require.Equal(t, 2, fake.calls("select"), "what was read may be as old as the transaction")
	require.Equal(t, 2, fake.calls("commit"))
	require.Zero(t, fake.calls("rollback"))
	require.ErrorIs(t, fake.store(t).Change(t.Context(), "orders", looks), errLook)
	require.Equal(t, 1, fake.calls("rollback"))
}

// A row of Leaf's table does not count as one without takers because the other table was missing just before.
func TestTakersTableIsMadeMeanwhile(t *testing.T) {
	missing := &mysql.MySQLError{Number: 1146}
	for name, read := range map[string]func(t *testing.T, s segment.Store) []storage.Segment{
		"Change": func(t *testing.T, s segment.Store) (rows []storage.Segment) {
			require.ErrorIs(t, s.Change(t.Context(), "orders", func(r *storage.Segment) error {
				rows = append(rows, *r)
				return errLook
			}), errLook)
			return rows
		},
		"Rows": func(t *testing.T, s segment.Store) []storage.Segment {
			rows, err := s.Rows(t.Context(), "", 10)
			require.NoError(t, err)
			return rows
		},
	} {
		t.Run(name, func(t *testing.T) {
			for since := range 3 { // the number of the first read that finds both tables
				both := 0
				fake := &fakeSegments{row: leafRow()}
				fake.failQuery = func(query string) error {
					if strings.Contains(query, "leaf_alloc_takers") {
						if both++; both <= since {
							return missing
						}
					}
					return nil
				}
				rows := read(t, fake.store(t))
				require.Len(t, rows, 1)
				if since < 2 {
					require.Equal(t, []storage.Taker{{Nonce: "A", Last: 1000}}, rows[0].Takers, "read %d", since)
				} else {
					require.Empty(t, rows[0].Takers)
				}
			}
		})
	}
}

// Tables that another client removes as soon as they are made are not made for ever.
func TestSegmentTablesAreMade(t *testing.T) {
	fake := &fakeSegments{}
	fake.fail = func(step string, n int) error {
		if step == "select" && n%3 != 0 { // the third one asks for neither table
			return &mysql.MySQLError{Number: 1146}
		}
		return nil
	}
	err := fake.store(t).Change(t.Context(), "orders", takes(new(int)))
	require.ErrorContains(t, err, "removed as soon as they were made")
	require.Equal(t, 2, fake.calls("create"))
	require.False(t, retry.IsTransient(err))
}
