package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/uidtest"
)

func TestMain(m *testing.M) { cluster.Main(m) }

// open opens an empty database, with plugins.
func open(t *testing.T, plugins ...gorm.Plugin) *gorm.DB {
	t.Helper()
	server := cluster.Shared(t)
	plain := server.Open(t, server.NewDatabase(t))
	db, err := gorm.Open(mysql.New(mysql.Config{Conn: plain.DB}), &gorm.Config{Logger: logger.Discard})
	require.NoError(t, err)
	for _, p := range plugins {
		require.NoError(t, db.Use(p))
	}
	return db
}

// known returns a generator whose UIDs are known beforehand.
func known() *uidtest.Generator {
	return uidtest.MustNew(uidtest.Config{Start: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), WorkerID: 1})
}

// keysIn returns all keys of a table.
func keysIn(t *testing.T, db *gorm.DB, table string) (keys []uid.UID) {
	t.Helper()
	require.NoError(t, db.Table(table).Order("id").Pluck("id", &keys).Error)
	return keys
}

// next draws a UID.
func next(t *testing.T, g uid.Drawer) uid.UID {
	t.Helper()
	u, err := g.GetUID()
	require.NoError(t, err)
	return u
}

// A bare is a model with the tag alone, of the table orders.
type bare struct {
	ID   uid.UID `gorm:"primaryKey;autoIncrement:false"`
	Item string
}

func (bare) TableName() string { return "orders" }

// What the plugin is for: where a table has an AUTO_INCREMENT, as GORM makes it without the tag, a
// row without a key gets the largest UID plus one. The generator issues that next.
func TestTheTrap(t *testing.T) {
	db, uids := open(t), known()
	require.NoError(t, db.Exec("CREATE TABLE orders (id BIGINT PRIMARY KEY AUTO_INCREMENT, item TEXT)").Error)
	first := bare{ID: next(t, uids), Item: "lamp"}
	require.NoError(t, db.Create(&first).Error)

	forgotten := bare{Item: "chair"}
	require.NoError(t, db.Create(&forgotten).Error)
	require.Zero(t, forgotten.ID, "GORM does not learn of the key that the database made")
	require.Equal(t, []uid.UID{first.ID, first.ID + 1}, keysIn(t, db, "orders"))

	third := bare{ID: next(t, uids), Item: "table"}
	require.Equal(t, first.ID+1, third.ID)
	require.ErrorContains(t, db.Create(&third).Error, "Duplicate entry")
}

// Where GORM has made the table with the tag, the first row without a key gets 0.
func TestTheTrapOfZero(t *testing.T) {
	db := open(t)
	require.NoError(t, db.AutoMigrate(&bare{}))
	require.NoError(t, db.Create(&bare{Item: "lamp"}).Error)
	require.Equal(t, []uid.UID{0}, keysIn(t, db, "orders"))
	require.ErrorContains(t, db.Create(&bare{Item: "chair"}).Error, "Duplicate entry '0'")
}

// With the plugin each row has a UID, whatever the table is like and however it is created.
func TestKeys(t *testing.T) {
	tables := map[string]func(t *testing.T, db *gorm.DB){
		"GORM's": func(t *testing.T, db *gorm.DB) { require.NoError(t, db.AutoMigrate(&Order{}, &Parcel{})) },
		"with AUTO_INCREMENT": func(t *testing.T, db *gorm.DB) {
			require.NoError(t, db.Exec("CREATE TABLE orders (id BIGINT PRIMARY KEY AUTO_INCREMENT, item TEXT)").Error)
			require.NoError(t, db.Exec("CREATE TABLE parcels (id BIGINT PRIMARY KEY AUTO_INCREMENT, order_id BIGINT)").Error)
		},
	}
	creates := []struct {
		name            string
		orders, parcels int
		create          func(db *gorm.DB) error
	}{
		{"one", 1, 0, func(db *gorm.DB) error { return db.Create(&Order{Item: "lamp"}).Error }},
		{"a slice", 2, 0, func(db *gorm.DB) error { return db.Create(&[]Order{{Item: "lamp"}, {Item: "chair"}}).Error }},
		{"a slice of pointers", 2, 0, func(db *gorm.DB) error { return db.Create([]*Order{{Item: "lamp"}, {Item: "chair"}}).Error }},
		{"an array", 2, 0, func(db *gorm.DB) error { return db.Create(&[2]Order{{Item: "lamp"}, {Item: "chair"}}).Error }},
		{"batches", 5, 0, func(db *gorm.DB) error { return db.CreateInBatches(make([]Order, 5), 2).Error }},
		{"with others", 2, 3, func(db *gorm.DB) error {
			return db.Create(&[]Order{{Parcels: make([]Parcel, 2)}, {Parcels: make([]Parcel, 1)}}).Error
		}},
		{"without hooks", 1, 0, func(db *gorm.DB) error {
			return db.Session(&gorm.Session{SkipHooks: true}).Create(&Order{}).Error
		}},
		{"saved", 1, 0, func(db *gorm.DB) error { return db.Save(&Order{Item: "lamp"}).Error }},
		{"saved together", 2, 0, func(db *gorm.DB) error { return db.Save(&[]Order{{Item: "lamp"}, {Item: "chair"}}).Error }},
		{"or found", 1, 0, func(db *gorm.DB) error { return db.Where(Order{Item: "sofa"}).FirstOrCreate(&Order{}).Error }},
		{"or updated", 1, 0, func(db *gorm.DB) error {
			return db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Order{Item: "lamp"}).Error
		}},
		{"associated", 1, 1, func(db *gorm.DB) error {
			o := Order{}
			return errors.Join(db.Create(&o).Error, db.Model(&o).Association("Parcels").Append(&Parcel{}))
		}},
		{"a map", 1, 0, func(db *gorm.DB) error { return db.Model(&Order{}).Create(map[string]any{"Item": "lamp"}).Error }},
		{"a map with a zero", 1, 0, func(db *gorm.DB) error {
			return db.Model(&Order{}).Create(map[string]any{"ID": uid.UID(0), "Item": "lamp"}).Error
		}},
		{"a pointer to a map", 1, 0, func(db *gorm.DB) error {
			return db.Model(&Order{}).Create(&map[string]any{"Item": "lamp", "id": nil}).Error
		}},
		{"maps", 2, 0, func(db *gorm.DB) error {
			return db.Model(&Order{}).Create([]map[string]any{{"Item": "lamp"}, {"Item": "chair"}}).Error
		}},
		{"a pointer to maps", 2, 0, func(db *gorm.DB) error {
			return db.Model(&Order{}).Create(&[]map[string]any{{"Item": "lamp"}, {"Item": "chair"}}).Error
		}},
	}
	for name, make := range tables {
		t.Run(name, func(t *testing.T) {
			uids := known()
			db := open(t, Keys{uids})
			make(t, db)
			first := next(t, uids)
			orders, parcels := 0, 0
			for _, c := range creates {
				require.NoError(t, c.create(db), c.name)
				orders, parcels = orders+c.orders, parcels+c.parcels
				require.Len(t, keysIn(t, db, "orders"), orders, c.name)
				require.Len(t, keysIn(t, db, "parcels"), parcels, c.name)
			}
			// All are the generator's, each once: it has issued no others.
			all := append(keysIn(t, db, "orders"), keysIn(t, db, "parcels")...)
			var drawn []uid.UID
			for range all {
				drawn = append(drawn, first+1+uid.UID(len(drawn)))
			}
			require.ElementsMatch(t, drawn, all)
			require.Equal(t, first+1+uid.UID(len(all)), next(t, uids))
		})
	}
}

// A key that the program has set stays.
func TestOwnKeysStay(t *testing.T) {
	uids := known()
	db := open(t, Keys{uids})
	require.NoError(t, db.AutoMigrate(&Order{}, &Parcel{}))
	require.NoError(t, db.Create(&Order{Model: Model{ID: 5}}).Error)
	require.NoError(t, db.Model(&Order{}).Create(map[string]any{"ID": uid.UID(6)}).Error)
	require.NoError(t, db.Model(&Order{}).Create([]map[string]any{{"id": 7}}).Error)
	require.Equal(t, []uid.UID{5, 6, 7}, keysIn(t, db, "orders"))
}

// Without a UID there is no row.
func TestNoUIDNoRow(t *testing.T) {
	uids := uidtest.MustNew(uidtest.Config{Err: uid.ErrNoReservation, FailAfter: 1})
	db := open(t, Keys{uids})
	require.NoError(t, db.AutoMigrate(&Order{}, &Parcel{}))
	require.ErrorIs(t, db.Create(&[]Order{{}, {}}).Error, uid.ErrNoReservation)
	require.ErrorIs(t, db.Create(&Order{}).Error, uid.ErrNoReservation)
	require.ErrorIs(t, db.Model(&Order{}).Create(map[string]any{"Item": "lamp"}).Error, uid.ErrNoReservation)
	require.Empty(t, keysIn(t, db, "orders"))
}

// A model without the tag is refused, since GORM makes its table with AUTO_INCREMENT.
func TestTheTagIsNeeded(t *testing.T) {
	type Invoice struct {
		ID uid.UID `gorm:"primaryKey"`
	}
	db := open(t, Keys{known()})
	require.NoError(t, db.AutoMigrate(&Invoice{}))
	require.EqualError(t, db.Create(&Invoice{}).Error, "the key Invoice.ID is a UID: it needs the tag autoIncrement:false")
	require.Empty(t, keysIn(t, db, "invoices"))
}

// The check in the tag refuses rows of programs that lack the plugin.
func TestTheDatabaseRefusesZero(t *testing.T) {
	db := open(t)
	require.NoError(t, db.AutoMigrate(&Order{}, &Parcel{}))
	require.ErrorContains(t, db.Create(&Order{Item: "lamp"}).Error, "CONSTRAINT")
	require.ErrorContains(t, db.Table("orders").Create(map[string]any{"item": "lamp"}).Error, "doesn't have a default value")
	require.Empty(t, keysIn(t, db, "orders"))
}

// Models with keys of another type are GORM's own affair.
func TestOtherKeysAreLeftAlone(t *testing.T) {
	type Note struct {
		ID   int64
		Text string
	}
	db := open(t, Keys{known()})
	require.NoError(t, db.AutoMigrate(&Note{}))
	require.NoError(t, db.Create(&Note{Text: "a"}).Error)
	require.Equal(t, []uid.UID{1}, keysIn(t, db, "notes"))
}

// A hooked is a model with a hook, which is GORM's usual place for a key.
type hooked struct {
	ID   uid.UID `gorm:"primaryKey;autoIncrement:false;check:id > 0"`
	Item string
}

func (h *hooked) BeforeCreate(*gorm.DB) error {
	h.ID = 9
	return nil
}

// Why the plugin is no hook: GORM does not run hooks for maps, nor when it is told to skip them.
func TestHooksAreSkipped(t *testing.T) {
	db := open(t)
	require.NoError(t, db.AutoMigrate(&hooked{}))
	require.NoError(t, db.Create(&hooked{Item: "lamp"}).Error)
	require.Equal(t, []uid.UID{9}, keysIn(t, db, "hookeds"))
	require.ErrorContains(t, db.Model(&hooked{}).Create(map[string]any{"Item": "chair"}).Error, "doesn't have a default value")
	require.ErrorContains(t, db.Session(&gorm.Session{SkipHooks: true}).Create(&hooked{Item: "chair"}).Error, "CONSTRAINT")
}
