package main

const (
	serveDir     = "cmd/uid/internal/serve/"
	serveHTTPGo  = serveDir + "http.go"
	serveRESPGo  = serveDir + "resp.go"
	serveReadGo  = serveDir + "resp_read.go"
	serveSegGo   = serveDir + "segments.go"
	serveTokenGo = serveDir + "token.go"
)

// serving are faults of uid serve.
var serving = []mutant{
	{
		name: "serve: an answer may be cached, and so given twice", file: serveHTTPGo,
		from: `rec.Header().Set("Cache-Control", "no-store")`, to: ``, tests: "^TestOpenAPI$",
	},
	{
		name: "serve: a part of the token is enough", file: serveTokenGo,
		from: "subtle.ConstantTimeCompare(hash[:], t.hash.Load()[:]) == 1",
		to:   "subtle.ConstantTimeCompare(hash[:0], t.hash.Load()[:0]) == 1", tests: "^TestToken$",
	},
	{
		name: "serve: nobody needs the token over HTTP", file: serveHTTPGo,
		from: "(route == nil || !route.open) && !s.cfg.Token.shows(r)",
		to:   "route == nil && !s.cfg.Token.shows(r)", tests: "^TestToken$",
	},
	{
		name: "serve: a wrong token after the right one changes nothing", file: serveDir + "resp_command.go",
		from: "	c.allowed = false\n", to: "", tests: "^TestRESPToken$",
	},
	{
		name: "serve: tokens can be guessed for ever", file: serveDir + "resp_command.go",
		from: "c.quit = c.guesses >= maxGuesses", to: "", tests: "^TestRESPToken$",
	},
	{
		name: "serve: a web page uses numbers up", file: serveHTTPGo,
		from: `case "", "none", "same-origin":`, to: `case "", "none", "same-origin", "same-site", "cross-site":`, tests: "^TestRefusedHTTP$",
	},
	{
		name: "serve: a name of a stranger leads to loopback", file: serveHTTPGo,
		from: "s.cfg.LocalOnly && !isLocal(r.Host)", to: "false", tests: "^TestRefusedHTTP$",
	},
	{
		name: "serve: HTTP on the port of the Redis protocol is words", file: serveReadGo,
		from: `if first != "GET" || len(args) > 2 {`, to: `if false {`, tests: "^TestRefusedRESP$",
	},
	{
		name: "serve: a command is as long as a client says", file: serveReadGo,
		from: "err != nil || n > most ||", to: "err != nil || n > most<<60 ||", tests: "^TestRefusedRESP$",
	},
	{
		name: "serve: each byte of a command makes it live on", file: serveRESPGo,
		from: "until = c.began.Add(limits.Read)", to: "until = time.Now().Add(limits.Read)", tests: "^TestRESPSlow$",
	},
	{
		name: "serve: UIDs are drawn for who does not read", file: serveRESPGo,
		from: "w.quit = err != nil", to: "w.quit = w.quit && err != nil", tests: "^TestRESPSlow$",
	},
	{
		name: "serve: numbers of two segments count as in a row", file: serveSegGo,
		from: "case inARow(numbers):", to: "case len(numbers) > 0:", tests: "^TestRange$",
	},
	{
		name: "serve: tags of strangers stay in memory", file: serveSegGo,
		from: "_ = s.registry.Forget(ctx, tag)", to: "", tests: "^TestUnknownTags$",
	},
	{
		name: "serve: strangers fill the store with tags", file: serveSegGo,
		from: "cfg.Create = false // or strangers would fill the store", to: "", tests: "^TestUnknownTags$",
	},
	{
		name: "serve: strangers fill the log", file: serveSegGo,
		from: "slog.New(quiet{settings.Logger(cfg.Logger).Handler()})", to: "slog.New(settings.Logger(cfg.Logger).Handler()); _ = quiet{}", tests: "^TestUnknownTags$",
	},
	{
		name: "serve: all are let in", file: serveDir + "listen.go",
		from: "!local && !token && !insecure", to: "false && !token && !insecure", tests: "^TestCheckListen$",
	},
	{
		name: "serve: a connection too many is let in", file: serveDir + "listen.go",
		from: "l.open.Add(1) <= l.most", to: "l.open.Add(1) <= l.most+1", tests: "^TestConnectionLimit$",
	},
	{
		name: "serve: readyz says yes to the end", file: serveDir + "server.go",
		from: "	if s.draining.Load() {\n		return fmt.Errorf", to: "	if false {\n		return fmt.Errorf", tests: "^TestDrain$",
	},
	{
		name: "serve: the log repeats what a stranger called his method", file: serveDir + "accesslog.go",
		from: `return "other"`, to: `return method`, tests: "^TestAccessLog$",
	},
	{
		name: "serve: a batch is as large as a client says", file: serveDir + "uids.go",
		from: "n < 1 || n > MaxBatch {", to: "n < 1 || n > MaxBatch+1 {", tests: "^TestRefusedHTTP$",
	},
	{
		name: "serve: UIDs count as numbers in a row", file: serveDir + "resp_command.go",
		from: "case n > 1 && string(key) == c.server.cfg.UIDKey:", to: "case false:", tests: "^TestRefusedRESP$",
	},
	{
		name: "serve: a bad certificate takes the good one's place", file: serveDir + "listen.go",
		from: "	pair, err := tls.LoadX509KeyPair(c.cert, c.key)\n", to: "	pair, err := tls.LoadX509KeyPair(c.cert, c.key)\n	c.loaded.Store(&pair)\n", tests: "^TestTLS$",
	},
	{
		name: "serve: a fixed worker ID remembers nothing", file: "cmd/uid/serve.go",
		from: "case s.workerID.set && s.state == \"\":", to: "case false:", tests: "^TestServeRefuses$",
	},
	{
		name: "serve: a port in use costs a worker ID", file: "cmd/uid/serve.go",
		from: "	web, redis, err := s.listen(ctx)\n	if err != nil {\n		return err\n	}\n	defer closeAll(web, redis)\n	st, err := s.store.open(ctx, s.program, settings{segments: unless(segmentTable, s.table)})\n	if err != nil {\n		return interrupted(ctx, err)\n	}\n",
		to:   "	st, err := s.store.open(ctx, s.program, settings{segments: unless(segmentTable, s.table)})\n	if err != nil {\n		return interrupted(ctx, err)\n	}\n	web, redis, err := s.listen(ctx)\n	if err != nil {\n		return err\n	}\n	defer closeAll(web, redis)\n", tests: "^TestServePortInUse$",
	},
}
