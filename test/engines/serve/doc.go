// Package serve starts uid serve for programs that draw from it, as test/soak does under faults.
//
// With COST=1 its test measures what a UID costs, in the process and from a server, and writes the table of
// docs/serve.md. The clients in that document draw from a server, too.
package serve
