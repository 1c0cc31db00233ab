package main

const (
	serveDir     = "cmd/uid/internal/serve/"
	serveHTTPGo  = serveDir + "http.go"
	serveRESPGo  = serveDir + "resp.go"
	serveReadGo  = serveDir + "resp_read.go"
	serveSegGo   = serveDir + "segments.go"
	serveTokenGo = serveDir + "token.go"
	serveDoorGo  = serveDir + "door.go"
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
		from: "case route == nil || !route.open:", to: "case route == nil:", tests: "^TestToken$",
	},
	{
		name: "serve: a wrong token after the right one changes nothing", file: serveDir + "resp_command.go",
		from: "		c.allowed = false\n", to: "", tests: "^TestRESPToken$",
	},
	{
		name: "serve: tokens can be guessed for ever", file: serveDir + "resp_command.go",
		from: "c.quit = c.guesses >= maxGuesses", to: "", tests: "^TestRESPToken$",
	},
	{
		name: "serve: a web page uses numbers up", file: serveHTTPGo,
		from: "if route.draws && crossSite(r) {", to: "if route.draws && r.Method == http.MethodPost && crossSite(r) {", tests: "^TestRefusedHTTP$",
	},
	{
		name: "serve: a GET of another site's page does no harm", file: serveHTTPGo,
		from: "drawing := &http.Request{Method: http.MethodPost,", to: "drawing := &http.Request{Method: r.Method,", tests: "^TestRefusedHTTP$",
	},
	{
		name: "serve: a page that says where it is from may draw", file: serveHTTPGo,
		from: "return new(http.CrossOriginProtection).Check(drawing) != nil",
		to:   `site := drawing.Header.Get("Sec-Fetch-Site"); return site != "" && site != "none" && site != "same-origin"`, tests: "^TestRefusedHTTP$",
	},
	{
		name: "serve: a HEAD draws what nobody sees", file: serveDir + "uids.go",
		from: "if !ok || s.unseen(w, r, kindOf(plain)) {", to: "if !ok {", tests: "^TestHead$",
	},
	{
		name: "serve: a HEAD is answered while nothing can be drawn", file: serveDir + "uids.go",
		from: "if err := s.cfg.Ready(); err != nil {", to: "if err := s.cfg.Ready(); err != nil && false {", tests: "^TestOpenAPI$",
	},
	{
		name: "serve: programs look for the server at an address of ours", file: serveDir + "openapi.yaml",
		from: "  - url: /\n", to: "  - url: http://127.0.0.1:7077/\n", tests: "^TestOpenAPIServer$",
	},
	{
		name: "serve: a text that the library writes is no UID", file: serveDir + "uids.go",
		from: `anyform.Parse(r.PathValue("uid"))`, to: `uid.Parse(r.PathValue("uid")); _ = anyform.Parse`, tests: "^TestParseForms$",
	},
	{
		name: "parse: a text that the library writes is no UID", file: "cmd/uid/form.go",
		from: "anyform.Parse(text)", to: "uid.Parse(text); _ = anyform.Parse", tests: "^TestParseForms$",
	},
	{
		name: "parse: 13 digits are base32", file: "cmd/uid/internal/anyform/anyform.go",
		from: "	if err == nil {\n", to: "	if err == nil && !base32.MatchString(text) {\n", tests: "^TestParse$",
	},
	{
		name: "parse: any text with base32 in it is a UID", file: "cmd/uid/internal/anyform/anyform.go",
		from: "`^(?:", to: "`(?:", tests: "^TestParseRefuses$",
	},
	{
		name: "serve: the log has a number without a unit", file: serveDir + "accesslog.go",
		from: `rec.bytes, "took_us", took.Microseconds())`, to: `rec.bytes, "took", took)`, tests: "^TestAccessLog$",
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
		name: "serve: a connection too many is let in", file: serveDoorGo,
		from: "d.clients >= d.limits.Connections", to: "d.clients > d.limits.Connections", tests: "^TestConnectionLimit$",
	},
	{
		name: "serve: strangers are clients", file: serveDoorGo,
		from: "token: s.cfg.Token != nil,", to: "token: false,", tests: "^TestStrangers$",
	},
	{
		name: "serve: the newcomer leaves, who may be a client", file: serveDoorGo,
		from: "d.strangers.Front()", to: "d.strangers.Back()", tests: "^TestStrangers$",
	},
	{
		name: "serve: strangers who came at once fill more than the house", file: serveDoorGo,
		from: "full := d.clients+d.strangers.Len() > d.limits.Connections+d.limits.Strangers", to: "full := false", tests: "^TestStrangers$",
	},
	{
		name: "serve: clients that come at once push each other out", file: serveDoorGo,
		from: "if !full && time.Since(oldest.since) < moment {", to: "if !full && time.Since(oldest.since) < 0 {", tests: "^TestManyClientsAtOnce$",
	},
	{
		name: "serve: strangers have minutes", file: serveDoorGo,
		from: "time.AfterFunc(d.limits.Stranger, g.expire)", to: "time.AfterFunc(d.limits.Idle, g.expire)", tests: "^TestStrangers$",
	},
	{
		name: "serve: the time of a stranger goes on for a client", file: serveDoorGo,
		from: "		g.timeout.Stop()\n", to: "", tests: "^TestStanding$",
	},
	{
		name: "serve: who shows the token over HTTP stays a stranger", file: serveHTTPGo,
		from: "if !guest.shows() {", to: "if false {", tests: "^TestStrangers$",
	},
	{
		name: "serve: who shows the token over the Redis protocol stays a stranger", file: serveDir + "resp_command.go",
		from: "case !guest.shows():", to: "case false:", tests: "^TestStrangers$",
	},
	{
		name: "serve: who shows the token over TLS stays a stranger", file: serveDoorGo,
		from: "		return guestOf(c.NetConn())\n", to: "		return nil\n", tests: "^TestStrangersOverTLS$",
	},
	{
		name: "serve: a wrong token over HTTP leaves a client one", file: serveHTTPGo,
		from: "		guest.fails()\n", to: "", tests: "^TestStanding$",
	},
	{
		name: "serve: a wrong AUTH leaves a client one", file: serveDir + "resp_command.go",
		from: "		guest.fails()\n", to: "", tests: "^TestStanding$",
	},
	{
		name: "serve: each connection that finds the house full is logged", file: serveDoorGo,
		from: "if d.full.begins() {", to: "if d.full.begins() || true {", tests: "^TestFullIsLogged$",
	},
	{
		name: "serve: each stranger too many is logged", file: serveDoorGo,
		from: "if crowded && d.crowded.begins() {", to: "if crowded {", tests: "^TestStrangers$",
	},
	{
		name: "serve: a full house is logged once in a life", file: serveDoorGo,
		from: "now-e.last.Swap(now) > int64(silent)", to: "e.last.Swap(now) == 0", tests: "^TestFullOfClients$",
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
