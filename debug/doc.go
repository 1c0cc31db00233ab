// Package debug is a page that shows what the generators of a process do: an [http.Handler] to mount where
// only those can reach it who may see it, as with net/http/pprof.
//
//	page, err := debug.New(debug.Config{
//		Generators: []debug.Generator{{Name: "orders", Generator: g}},
//		Workers:    debug.Workers(tables.Registry()), // the sqlstore.DB of the leases
//	})
//	mux.Handle("/debug/uid/", page)
//
// The page shows for how long each generator can go on without the store, and how many callers wait for it;
// its ring, its lead and lag beside their bounds, its rate now and for the last five minutes, the
// reservation and the lease, and when the layout expires; who holds which worker ID; and whether the store
// of the workers answers. A field takes a UID, draws its bits and says who holds its worker.
//
// # Who may see it
//
// The page changes nothing, and holds no secret: no DSN, no password, no token, no environment. It does
// show the names of hosts and the IDs of processes (a lease's holder), addresses of databases (in the text
// of a failure), and UIDs' worker IDs. [Config.HideHosts] leaves holders and the texts of failures out. It
// has no login: mount it on a port of its own, or behind what guards your other debug pages. The package
// registers nothing on http.DefaultServeMux.
//
// # What it costs
//
// Nothing while nobody looks: there is no goroutine and nothing to close. An open page asks for a small
// JSON document twice a second; all viewers share one sample of the generators' Health, and one reading of
// the list of workers, in the background. A tab that is hidden asks for nothing.
//
// # In the browser
//
// All files are embedded, and nothing is loaded from elsewhere. Each response has a strict
// Content-Security-Policy. Links are relative: the handler looks at the last element of the path alone, and
// so works under any prefix, with or without http.StripPrefix. Methods other than GET and HEAD are refused.
package debug
