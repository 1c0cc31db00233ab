// Package uidgorm keys the rows of GORM's models with UIDs: a plugin, and a struct to embed.
//
//	type Order struct {
//		uidgorm.Model
//		Item string
//	}
//
//	err := db.Use(uidgorm.Plugin(uids))
//
// Whenever a row is created, alone, in a batch, from a map or with another row that it belongs to,
// each primary key of the type uid.UID that is zero gets a UID. When there is none the create fails.
// A key that the program has set stays.
//
// Without the plugin GORM writes the zero. A table with AUTO_INCREMENT turns that into its largest
// key plus one, which the generator may issue next. A hook of GORM's is not enough: it runs neither for maps nor
// with SkipHooks.
package uidgorm

import (
	"context"
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/uidgen/uid"
)

// A Model is what models embed for a key. Its tag keeps databases from making keys of their own:
// autoIncrement:false any, the type SQLite, where an INTEGER PRIMARY KEY is numbered by itself. The check
// refuses the 0 of a program that lacks the plugin.
type Model struct {
	ID uid.UID `gorm:"primaryKey;autoIncrement:false;type:bigint;not null;check:id > 0"`
}

// Plugin returns the plugin, for db.Use. It refuses to create rows of a model whose UID lacks the tag
// autoIncrement:false, since GORM makes such a table's keys AUTO_INCREMENT.
func Plugin(uids uid.Generator) gorm.Plugin { return keys{uids} }

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
		if key.FieldType != reflect.TypeFor[uid.UID]() {
			continue
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
		u, err := k.uids.GetUIDContext(ctx)
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
		u, err := k.uids.GetUIDContext(ctx)
		if err != nil {
			return err
		}
		delete(columns, key.Name)
		columns[key.DBName] = u
	}
	return nil
}
