// Package database has the parts that package worker/sqlstore and its checks share: dialects, transactions and their
// session settings, errors without secrets, the tables' names and schemas, the origin of rows that were read, and the
// place of a SQLite file. It knows no protocol.
package database
