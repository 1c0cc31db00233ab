// Package database holds what workers on SQL databases share: the dialects, transactions and
// their session settings, errors in words that hold no secret, the shape that the tables must
// have, the settings by which a commit can be lost, and the place of a SQLite file. It knows no
// protocol: see package worker/sqlstore.
package database
