// Package registry is for the people who run workers: it lists who holds which worker ID, ends
// dead holders' leases, and makes namespaces.
//
// It works on any [Store]; package sqlstore has one for SQL databases.
package registry
