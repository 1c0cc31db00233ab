// Package database is what workers on SQL databases share: the dialects, transactions and
// what they set in their sessions, failures in words that hold no secret, the shape that the
// tables must have, the settings by which a commit is lost, and the place of a SQLite file.
// It knows no protocol: see package worker/sqlstore.
package database
