// Package registry is for those who look after worker IDs: it lists who holds what, ends
// the leases of dead holders, removes rows that nobody needs, and makes namespaces.
//
// It works on any [Store], a few methods that package sqlstore has for the tables of SQL
// databases.
package registry
