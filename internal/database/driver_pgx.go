package database

import (
	"fmt"
	"reflect"

	"github.com/jmoiron/sqlx"
)

// unprepared returns an argument that makes the driver pgx send a query in one round trip. By
// default it asks twice for each text of a query that is new to a connection. The argument is of a type
// of pgx's, which this module does not import: it is the one of a setting of its connections. For any
// other driver there is none.
func unprepared(conn *sqlx.Conn) (first []any) {
	_ = conn.Raw(func(driver any) error {
		is := reflect.TypeOf(driver)
		if is.String() != "*stdlib.Conn" || drivers[is.Elem().PkgPath()] != "pgx" {
			return nil
		}
		config := reflect.ValueOf(driver).MethodByName("Conn").Call(nil)[0].MethodByName("Config").Call(nil)[0]
		mode := reflect.New(config.Elem().FieldByName("DefaultQueryExecMode").Type()).Elem()
		for i := range int64(10) {
			if mode.SetInt(i); fmt.Sprint(mode.Interface()) == "exec" {
				first = []any{mode.Interface()}
			}
		}
		return nil
	})
	return first
}
