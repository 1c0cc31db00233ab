package database

// Strict returns how a statement begins that refuses a number which its column cannot hold,
// whatever the session's mode: a MySQL server without a strict one would silently store another.
// verb is UPDATE or INSERT. MariaDB knows the first form, MySQL from 8.0 the second, and each
// takes the other's for a comment. On MySQL 5.7 it is up to the session.
func (d Dialect) Strict(verb string) string {
	if d != MySQL {
		return verb
	}
	return "/*M! SET STATEMENT sql_mode='STRICT_ALL_TABLES' FOR */ " + verb + " /*+ SET_VAR(sql_mode='STRICT_ALL_TABLES') */"
}
