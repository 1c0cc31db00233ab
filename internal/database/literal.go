package database

import (
	"encoding/hex"
	"math"
	"strconv"
)

// Statements that have to take one round trip have no arguments: a driver prepares a statement
// with arguments in a round trip of its own, and a proxy that shares connections among clients
// may not keep it. Values stand in the statement instead: integers as digits, texts in
// hexadecimal, so that no quotes, backslashes, modes or charsets of a session come into it.

// Int returns an integer as it stands in a statement.
func Int[I ~int | ~int64](n I) string {
	if int64(n) == math.MinInt64 {
		return "(-9223372036854775807 - 1)" // the digits alone are beyond a bigint
	}
	return strconv.FormatInt(int64(n), 10)
}

// Text returns a text as it stands in a statement.
func (d Dialect) Text(s string) string {
	digits := hex.EncodeToString([]byte(s))
	switch d {
	case Postgres:
		return "CONVERT_FROM(DECODE('" + digits + "', 'hex'), 'UTF8')"
	case SQLite:
		return "CAST(X'" + digits + "' AS TEXT)"
	}
	return "_utf8mb4 X'" + digits + "'"
}
