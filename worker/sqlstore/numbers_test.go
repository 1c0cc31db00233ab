package sqlstore_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
)

func TestNumbersRunOut(t *testing.T) {
	for _, c := range []struct{ id, most int64 }{{101, 100}, {4194304, 4194303}, {2, 1}, {math.MaxInt64, 4194303}} {
		fake := &fakeDB{tell: func(int64) int64 { return c.id }, anyID: true}
		_, err := tables(t, fake).Numbers().Next(t.Context(), withPort, c.most)
		logtest.Error(t, err, uid.ErrNoWorkerID, fmt.Sprint(c.id), fmt.Sprint(c.most))
		require.Zero(t, fake.calls("commit"), "no row is left")
	}
	for _, c := range []struct{ id, most int64 }{{100, 100}, {1, 1}, {math.MaxInt64, math.MaxInt64}} {
		fake := &fakeDB{tell: func(int64) int64 { return c.id }, anyID: true}
		id, err := tables(t, fake).Numbers().Next(t.Context(), withPort, c.most)
		require.NoError(t, err)
		require.Equal(t, c.id, id)
	}
}

func TestUnconfirmed(t *testing.T) {
	for _, c := range []struct {
		name string
		port string
		fake *fakeDB
		says string
	}{
		{"no ID", "", &fakeDB{tell: func(int64) int64 { return 0 }}, "reported ID 0 for"},
		{"negative ID", "", &fakeDB{tell: func(int64) int64 { return -5 }}, "reported ID -5 for"},
		{"ID of no row", "", &fakeDB{tell: func(int64) int64 { return 77 }}, "ID 77, is not there"},
		{"another's row", "", &fakeDB{ports: []string{"other"}, tell: func(int64) int64 { return 1 }}, "ID 1 does not"},
		{"row changed before the port was written", "80", &fakeDB{missesUpdate: true}, "changed 0 rows with ID 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := next(t.Context(), tables(t, c.fake).Numbers(), storage.Host{Name: "h", Port: c.port})
			logtest.Error(t, err, worker.ErrUnconfirmed, c.says)
			require.Equal(t, 1, c.fake.calls("insert"), "it is not tried again")
		})
	}
}
