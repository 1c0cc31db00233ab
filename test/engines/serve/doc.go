// Package serve draws millions of UIDs and numbers from two processes of uid serve on one MariaDB, over HTTP and
// over the Redis protocol, while the processes and the database are killed. No number may come twice, and
// clients may see errors and nothing else. Then it gives both servers one worker ID, and has to find the
// duplicates.
//
// With COST=1 it measures what a UID costs, in the process and from a server, and writes the table of
// docs/serve.md. The clients in that document draw from a server, too.
package serve
