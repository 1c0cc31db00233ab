// Package uidgorm keys the rows of GORM's models with UIDs: a plugin, and a struct to embed.
//
//	type Order struct {
//		uidgorm.Model
//		Item string
//	}
//
//	err := db.Use(uidgorm.Plugin(uids))
//
// Whenever a row is created, alone, in a batch, from a map or with another row that it belongs to, each primary key of
// the type uid.UID that is zero gets a UID. When there is none the create fails. A key that the program has set stays.
// A zero key of the type *uid.UID is an error, and so is one of an integer type of the program's that is not
// AUTO_INCREMENT.
//
// After an upsert (clause.OnConflict) that has updated a row, the struct has a key that no row has. With
// clause.Returning{} it has the row's, on MariaDB, PostgreSQL and SQLite.
//
// Without the plugin GORM writes the zero. A table with AUTO_INCREMENT turns that into its largest key plus one, which
// the generator may issue next.
package uidgorm

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/uidgen/uid"
)

// A Model has no check: GORM would copy that to the tables that join two models, which have no column id.

// A Model is what models embed for a key. Its tag keeps databases from making keys of their own: autoIncrement:false
// any, the type SQLite, where an INTEGER PRIMARY KEY is numbered by itself.
type Model struct {
	ID uid.UID `gorm:"primaryKey;autoIncrement:false;type:bigint;not null"`
}

// BeforeCreate fails the create of a row without a key: the program lacks the plugin. GORM does not call it with
// SkipHooks, nor if the model has a BeforeCreate of its own; a row then gets the key 0.
func (m *Model) BeforeCreate(*gorm.DB) error {
	if m.ID == 0 {
		return errors.New("uidgorm: a row without a key: is the plugin in use?")
	}
	return nil
}

// Plugin returns the plugin, for db.Use. It refuses to create rows of a model whose UID lacks the tag
// autoIncrement:false, since GORM makes such a table's keys AUTO_INCREMENT.
func Plugin(uids uid.Generator) gorm.Plugin { return keys{uids} }

var uidType = reflect.TypeFor[uid.UID]()

type keys struct{ uids uid.Generator }

// Name implements [gorm.Plugin].
func (k keys) Name() string { return "uid:keys" }

// Initialize implements [gorm.Plugin]. A callback runs also where GORM skips a model's hooks.
func (k keys) Initialize(db *gorm.DB) error {
	return db.Callback().Create().Before("gorm:before_create").Register("uid:keys", k.create)
}

// create gives keys to the rows of a statement. An error that is added to db ends the create.
func (k keys) create(db *gorm.DB) {
	s := db.Statement
	if db.Error != nil || s.Schema == nil {
		return
	}
	for _, key := range s.Schema.PrimaryFields {
		of := key.IndirectFieldType
		own := of.Kind() == reflect.Int64 && of.PkgPath() != "" // an integer type of the program's
		if of != uidType && (key.AutoIncrement || !own) {
			continue // a key of GORM's
		}
		if key.AutoIncrement {
			_ = db.AddError(fmt.Errorf("uidgorm: the key %s.%s is a UID: it needs the tag autoIncrement:false",
				s.Schema.Name, key.Name))
			return
		}
		if err := k.fill(s, key); err != nil {
			_ = db.AddError(fmt.Errorf("uidgorm: a key for %s.%s: %w", s.Schema.Name, key.Name, err))
			return
		}
	}
}

// fill gives each row of a statement its key.
func (k keys) fill(s *gorm.Statement, key *schema.Field) error {
	rows := s.ReflectValue
	switch rows.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range rows.Len() {
			if err := k.one(s.Context, key, reflect.Indirect(rows.Index(i))); err != nil {
				return err
			}
		}
		return nil
	}
	return k.one(s.Context, key, rows)
}

// one gives a row its key, unless it has one. What is no row GORM itself refuses.
func (k keys) one(ctx context.Context, key *schema.Field, row reflect.Value) error {
	switch row.Kind() {
	case reflect.Struct:
		if _, zero := key.ValueOf(ctx, row); !zero {
			return nil
		}
		u, err := k.draw(ctx, key)
		if err != nil {
			return err
		}
		return key.Set(ctx, row, u)
	case reflect.Map:
		columns, ok := row.Interface().(map[string]any)
		if !ok || columns == nil {
			return nil
		}
		for _, name := range []string{key.Name, key.DBName} {
			if value, found := columns[name]; found && value != nil && !reflect.ValueOf(value).IsZero() {
				return nil
			}
		}
		u, err := k.draw(ctx, key)
		if err != nil {
			return err
		}
		delete(columns, key.Name)
		columns[key.DBName] = u
	}
	return nil
}

// draw returns a UID for a key. It refuses one of another type: an integer of the program's own may be a UID by another
// name, and would be 0.
func (k keys) draw(ctx context.Context, key *schema.Field) (uid.UID, error) {
	if key.FieldType != uidType {
		return 0, fmt.Errorf("it is of type %v, and only a uid.UID gets one", key.FieldType)
	}
	return k.uids.GetUIDContext(ctx)
}
