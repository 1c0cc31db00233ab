package databases_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/test/engines"
)

func TestCheckOfASQLitePlace(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s engines.Database, mode string) {
		db := s.Open(t)
		both(t, db)
		m := checked(t, db, doctor.Config{})
		m.is(t, "names of the file", doctor.LevelOK, "1")
		require.Equal(t, doctor.LevelOK, m["place of the file"].Level)
		require.Equal(t, badness{"delete": doctor.LevelOK, "wal": doctor.LevelNote}[mode], m["journal_mode"].Level)

		require.NoError(t, os.Link(s.Source, s.Source+".link"))
		checked(t, db, doctor.Config{}).is(t, "names of the file", doctor.LevelError, "2")
		require.NoError(t, os.Remove(s.Source+".link"))

		moveAll(t, s.Source, s.Source+".old")
		checked(t, db, doctor.Config{}).is(t, "place of the file", doctor.LevelError, "removed or moved")

		for _, rows := range []func(db *sqlx.DB){
			func(*sqlx.DB) {},
			func(db *sqlx.DB) { putLeases(t, db, aLease{id: 5}); acquire(t, db, asked{}) },
		} {
			another := s.Open(t)
			rows(another)
			m = checked(t, db, doctor.Config{})
			m.is(t, "place of the file", doctor.LevelError, "another file is there")
		}
		require.NotContains(t, fmt.Sprint(m), s.Source)
	})
}
