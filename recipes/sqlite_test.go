package recipes_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"xorm.io/xorm"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker/lease"
)

// Orders is a row without a hook, and Hooked one with xorm's.
type (
	Orders struct {
		ID   uid.UID `bun:",pk" xorm:"'id' pk"`
		Item string
	}
	Hooked Orders
)

func (h *Hooked) BeforeInsert()     { h.ID = 9 }
func (h *Hooked) TableName() string { return "orders" }

// The programs that keep all in a file, twice on one that is new. Then rows without a key, which the table refuses.
func TestProgramsOnSQLite(t *testing.T) {
	for folder, forget := range map[string]func(file string) []error{
		"bun": func(file string) []error {
			db := bun.NewDB(must(sql.Open("sqlite", file)), sqlitedialect.New())
			defer db.Close()
			_, zero := db.NewInsert().Model(&Orders{Item: "sofa"}).Exec(context.Background())
			_, none := db.NewInsert().Model(&map[string]any{"item": "sofa"}).Table("orders").Exec(context.Background())
			return []error{zero, none}
		},
		"xorm": func(file string) []error {
			db := must(xorm.NewEngine("sqlite", file))
			defer db.Close()
			_, zero := db.Insert(&Orders{Item: "sofa"})
			_, values := db.Insert(&[]Hooked{{Item: "sofa"}, {Item: "bed"}})
			_, none := db.Table("orders").Insert(map[string]any{"item": "sofa"})
			return []error{zero, values, none}
		},
	} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "shop.db")
			db := must(sql.Open("sqlite", file))
			defer db.Close()
			exe, before, printed := build(t, folder), time.Now().Truncate(time.Second), ""
			for range 2 {
				printed += must(run(t, exe, "UID_SQLITE_FILE="+file))
			}
			keys := stored(t, db, "orders")
			require.Len(t, keys, 4)
			require.ElementsMatch(t, keysOf(printed), keys)
			for _, u := range keys {
				at := must(bits.Default().Parse(u)).Time
				require.WithinRange(t, at, before, time.Now().Add(lease.Burn+time.Minute))
			}
			for i, err := range forget(file) {
				require.Regexp(t, `constraint`, err, i)
			}
			require.ElementsMatch(t, keys, stored(t, db, "orders"))
		})
	}
}
