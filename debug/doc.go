// Package debug is a page that shows the health and the rate of each generator of a process, who holds which worker ID,
// and whether the store of the workers answers. It also takes UIDs apart.
//
//	page, err := debug.New(debug.Config{Generators: []debug.Generator{{Name: "orders", Generator: g}}})
//	mux.Handle("/debug/uid/", page)
//
// # Who may see it
//
// The page has no login: mount it on a port of its own, or behind what guards your other debug pages. It changes
// nothing, and holds no DSN, password, token or environment. It does show names of hosts and IDs of processes (a
// lease's holder), addresses of databases (in the text of a failure), and worker IDs; see [Config].HideHosts.
//
// # What it costs
//
// Nothing while nobody looks: there is no goroutine and nothing to close. An open page asks for a small JSON document
// twice a second; all viewers share one sample of the generators' Health, and one reading of the list of workers.
//
// # In the browser
//
// Nothing is loaded from elsewhere. Each response has a strict Content-Security-Policy. The handler works under any
// prefix, with or without http.StripPrefix, and refuses methods other than GET and HEAD.
package debug
