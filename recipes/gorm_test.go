package recipes_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/orm/uidgorm"
	"github.com/uidgen/uid/uidtest"
)

// An Order has parcels, which GORM creates with it.
type Order struct {
	uidgorm.Model
	Item    string
	Parcels []Parcel
}

type Parcel struct {
	uidgorm.Model
	OrderID uid.UID
}

// refusal is what a database says of a row without a key, or with the key 0.
const refusal = `(?i)constraint|doesn't have a default value|is the plugin in use`

// openGORM opens an empty database with the tables of some models, and with the plugin if there are UIDs for it.
func (d database) openGORM(t *testing.T, uids uid.Generator, models ...any) *gorm.DB {
	t.Helper()
	db := must(gorm.Open(d.gorm(d.open(t)), &gorm.Config{Logger: logger.Discard}))
	if uids != nil {
		require.NoError(t, db.Use(uidgorm.Plugin(uids)))
	}
	require.NoError(t, db.AutoMigrate(models...))
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

// What the plugin is for: where a table makes keys of its own, as GORM's does without the tag, a row without a key
// gets the largest UID plus one. The generator issues that next. On MariaDB GORM's zero is no key, either.
func TestTheTrap(t *testing.T) {
	type Order struct {
		ID   uid.UID `gorm:"primaryKey;autoIncrement:false"`
		Item string
	}
	onEach(t, func(t *testing.T, d database) {
		db, uids := d.openGORM(t, nil), known()
		require.NoError(t, db.Exec("CREATE TABLE orders (id "+d.own+", item TEXT)").Error)
		first := Order{ID: must(uids.GetUID()), Item: "lamp"}
		require.NoError(t, db.Create(&first).Error)
		forgotten := Order{Item: "chair"}
		require.NoError(t, db.Create(&forgotten).Error)
		require.Zero(t, forgotten.ID, "GORM does not learn of the key that the database made")
		require.NoError(t, db.Table("orders").Create(map[string]any{"item": "sofa"}).Error)
		require.Equal(t, map[string][]uid.UID{
			"mysql":    {first.ID, first.ID + 1, first.ID + 2},
			"postgres": {0, 1, first.ID},
			"sqlite3":  {0, first.ID, first.ID + 1},
		}[d.name], keysIn(t, db, "orders"))
		third := Order{ID: must(uids.GetUID()), Item: "table"}
		require.Equal(t, first.ID+1, third.ID)
		require.Equal(t, d.name != "postgres", db.Create(&third).Error != nil, "the UID is taken")
	})
}

// With the plugin each row has a UID, whatever the table is like and however it is created.
func TestGORMKeys(t *testing.T) {
	creates := []struct {
		name            string
		orders, parcels int
		create          func(db *gorm.DB) error
	}{
		{"one", 1, 0, func(db *gorm.DB) error { return db.Create(&Order{Item: "lamp"}).Error }},
		{"a slice", 2, 0, func(db *gorm.DB) error { return db.Create(&[]Order{{Item: "lamp"}, {}}).Error }},
		{"a slice of pointers", 2, 0, func(db *gorm.DB) error { return db.Create([]*Order{{Item: "lamp"}, {}}).Error }},
		{"an array", 2, 0, func(db *gorm.DB) error { return db.Create(&[2]Order{{Item: "lamp"}, {}}).Error }},
		{"batches", 5, 0, func(db *gorm.DB) error { return db.CreateInBatches(make([]Order, 5), 2).Error }},
		{"with others", 2, 3, func(db *gorm.DB) error {
			return db.Create(&[]Order{{Parcels: make([]Parcel, 2)}, {Parcels: make([]Parcel, 1)}}).Error
		}},
		{"without hooks", 1, 0, func(db *gorm.DB) error {
			return db.Session(&gorm.Session{SkipHooks: true}).Create(&Order{}).Error
		}},
		{"saved", 1, 0, func(db *gorm.DB) error { return db.Save(&Order{Item: "lamp"}).Error }},
		{"saved together", 2, 0, func(db *gorm.DB) error { return db.Save(&[]Order{{Item: "lamp"}, {}}).Error }},
		{"or found", 1, 0, func(db *gorm.DB) error {
			return db.Where(Order{Item: "sofa"}).FirstOrCreate(&Order{}).Error
		}},
		{"or updated", 1, 0, func(db *gorm.DB) error {
			return db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Order{Item: "lamp"}).Error
		}},
		{"associated", 1, 1, func(db *gorm.DB) error {
			o := Order{}
			return errors.Join(db.Create(&o).Error, db.Model(&o).Association("Parcels").Append(&Parcel{}))
		}},
		{"a map", 1, 0, func(db *gorm.DB) error {
			return db.Model(&Order{}).Create(map[string]any{"Item": "lamp"}).Error
		}},
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
	created := func(t *testing.T, uids *uidtest.Generator, db *gorm.DB) {
		first := must(uids.GetUID())
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
		require.Equal(t, first+1+uid.UID(len(all)), must(uids.GetUID()))
	}
	onEach(t, func(t *testing.T, d database) {
		t.Run("tables of GORM", func(t *testing.T) {
			uids := known()
			created(t, uids, d.openGORM(t, uids, &Order{}, &Parcel{}))
		})
		t.Run("tables with keys of their own", func(t *testing.T) {
			uids := known()
			db := d.openGORM(t, uids)
			require.NoError(t, db.Exec("CREATE TABLE orders (id "+d.own+", item TEXT)").Error)
			require.NoError(t, db.Exec("CREATE TABLE parcels (id "+d.own+", order_id BIGINT)").Error)
			created(t, uids, db)
		})
	})
}

// A key that the program has set stays.
func TestOwnKeysStay(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, known(), &Order{}, &Parcel{})
		require.NoError(t, db.Create(&Order{Model: uidgorm.Model{ID: 5}}).Error)
		require.NoError(t, db.Model(&Order{}).Create(map[string]any{"ID": uid.UID(6)}).Error)
		require.NoError(t, db.Model(&Order{}).Create([]map[string]any{{"id": 7}}).Error)
		require.Equal(t, []uid.UID{5, 6, 7}, keysIn(t, db, "orders"))
	})
}

// Without a UID there is no row.
func TestNoUIDNoRowOfGORM(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		uids := uidtest.MustNew(uidtest.Config{Err: uid.ErrNoReservation, FailAfter: 1})
		db := d.openGORM(t, uids, &Order{}, &Parcel{})
		require.ErrorIs(t, db.Create(&[]Order{{}, {}}).Error, uid.ErrNoReservation)
		require.ErrorIs(t, db.Create(&Order{}).Error, uid.ErrNoReservation)
		require.ErrorIs(t, db.Model(&Order{}).Create(map[string]any{"Item": "lamp"}).Error, uid.ErrNoReservation)
		require.Empty(t, keysIn(t, db, "orders"))
	})
}

// A model without the tag is refused, since GORM makes its table with keys of its own.
func TestTheTagIsNeeded(t *testing.T) {
	type Invoice struct {
		ID uid.UID `gorm:"primaryKey"`
	}
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, known(), &Invoice{})
		require.EqualError(t, db.Create(&Invoice{}).Error,
			"uidgorm: the key Invoice.ID is a UID: it needs the tag autoIncrement:false")
		require.Empty(t, keysIn(t, db, "invoices"))
	})
}

// A program that lacks the plugin creates no rows: by a hook, or since the database has no default.
func TestWithoutThePlugin(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, nil, &Order{}, &Parcel{})
		require.Regexp(t, refusal, db.Create(&Order{Item: "lamp"}).Error)
		require.Regexp(t, refusal, db.Table("orders").Create(map[string]any{"item": "lamp"}).Error)
		require.Empty(t, keysIn(t, db, "orders"))
	})
}

// Two models that a table joins.
type (
	Author struct {
		uidgorm.Model
		Books []Book `gorm:"many2many:author_books"`
	}
	Book struct {
		uidgorm.Model
		Authors []Author `gorm:"many2many:author_books"`
	}
)

func TestJoinedModels(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, known(), &Author{}, &Book{})
		author := Author{Books: []Book{{}, {}}}
		require.NoError(t, db.Create(&author).Error)
		var found Author
		require.NoError(t, db.Preload("Books").First(&found, author.ID).Error)
		require.ElementsMatch(t, author.Books, found.Books)
	})
}

// What the documentation says of an upsert: the struct has a key that no row has, unless the database returns the row.
func TestUpsert(t *testing.T) {
	type Item struct {
		uidgorm.Model
		Code string `gorm:"size:9;unique"`
	}
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, known(), &Item{})
		first := Item{Code: "lamp"}
		require.NoError(t, db.Create(&first).Error)
		upsert := clause.OnConflict{
			Columns: []clause.Column{{Name: "code"}}, DoUpdates: clause.AssignmentColumns([]string{"code"}),
		}
		again := Item{Code: "lamp"}
		require.NoError(t, db.Clauses(upsert).Create(&again).Error)
		require.Equal(t, []uid.UID{first.ID}, keysIn(t, db, "items"))
		require.NotEqual(t, first.ID, again.ID)
		returned := Item{Code: "lamp"}
		require.NoError(t, db.Clauses(upsert, clause.Returning{}).Create(&returned).Error)
		require.Equal(t, first.ID, returned.ID)
	})
}

// A key that is a UID by another name cannot be told from any number, so it is refused by name.
func TestOtherNamesOfUID(t *testing.T) {
	type orderID uid.UID
	type (
		Named struct {
			ID orderID `gorm:"primaryKey;autoIncrement:false"`
		}
		Pointed struct {
			ID *uid.UID `gorm:"primaryKey;autoIncrement:false"`
		}
	)
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, known(), &Named{}, &Pointed{})
		require.EqualError(t, db.Create(&Named{}).Error,
			"uidgorm: a key for Named.ID: it is of type recipes_test.orderID, and only a uid.UID gets one")
		require.EqualError(t, db.Create(&Pointed{}).Error,
			"uidgorm: a key for Pointed.ID: it is of type *uid.UID, and only a uid.UID gets one")
		require.NoError(t, db.Create(&Named{ID: 5}).Error)
	})
}

// Models with keys of another type are GORM's own affair.
func TestOtherKeysAreLeftAlone(t *testing.T) {
	type Note struct {
		ID   int64
		Text string
	}
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, known(), &Note{})
		require.NoError(t, db.Create(&Note{Text: "a"}).Error)
		require.Equal(t, []uid.UID{1}, keysIn(t, db, "notes"))
	})
}

// A hooked is a model with a hook, which is GORM's usual place for a key.
type hooked struct {
	uidgorm.Model
	Item string
}

func (h *hooked) BeforeCreate(*gorm.DB) error {
	h.ID = 9
	return nil
}

// Why the plugin is no hook: GORM does not run hooks for maps, nor when it is told to skip them.
func TestHooksAreSkipped(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		db := d.openGORM(t, nil, &hooked{})
		require.NoError(t, db.Create(&hooked{Item: "lamp"}).Error)
		require.Equal(t, []uid.UID{9}, keysIn(t, db, "hookeds"))
		require.Regexp(t, refusal, db.Model(&hooked{}).Create(map[string]any{"Item": "chair"}).Error)
		require.NoError(t, db.Session(&gorm.Session{SkipHooks: true}).Create(&hooked{Item: "chair"}).Error)
		require.Equal(t, []uid.UID{0, 9}, keysIn(t, db, "hookeds"))
	})
}
