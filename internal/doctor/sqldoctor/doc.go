// Package sqldoctor lets package doctor examine the databases of package sqlstore: the settings by
// which a server loses commits or wastes IDs, its place among others, the account's rights, the
// file of SQLite, and the shape and the counter of the tables. It only reads.
//
//	tables, err := sqlstore.New(db, sqlstore.Config{})
//	…
//	examined, err := sqldoctor.New(tables)
//	…
//	findings, err := doctor.Check(ctx, examined, doctor.Config{})
package sqldoctor
