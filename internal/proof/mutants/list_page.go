package main

const (
	pageHandlerGo = "debug/handler.go"
	pageSampleGo  = "debug/sample.go"
	pageHistoryGo = "debug/history.go"
	pageSourceGo  = "debug/source.go"
	pageWorkersGo = "debug/workers.go"
	pageDecodeGo  = "debug/decode.go"
	pageConfigGo  = "debug/config.go"
	ringStateGo   = "cached/ring_state.go"
)

// page are faults of the page of package debug. Those that only a browser sees are not here: its
// tests take too long for that.
var page = []mutant{
	{
		name: "page: it may be framed by others", file: pageHandlerGo,
		from: `"frame-ancestors 'none'; base-uri`,
		to:   `"base-uri`, tests: "^TestHeaders$",
	},
	{
		name: "page: scripts come from anywhere", file: pageHandlerGo,
		from: "script-src 'self'",
		to:   "script-src *", tests: "^TestHeaders$",
	},
	{
		name: "page: browsers guess types", file: pageHandlerGo,
		from: "\theader.Set(\"X-Content-Type-Options\", \"nosniff\")\n",
		to:   "", tests: "^TestHeaders$",
	},
	{
		name: "page: answers are kept in caches", file: pageHandlerGo,
		from: "\theader.Set(\"Cache-Control\", \"no-store\")\n",
		to:   "", tests: "^TestHeaders$",
	},
	{
		name: "page: other sites may load its answers", file: pageHandlerGo,
		from: "\theader.Set(\"Cross-Origin-Resource-Policy\", \"same-origin\")\n",
		to:   "", tests: "^TestHeaders$",
	},
	{
		name: "page: others learn its address", file: pageHandlerGo,
		from: "\theader.Set(\"Referrer-Policy\", \"no-referrer\")\n",
		to:   "", tests: "^TestHeaders$",
	},
	{
		name: "page: POST is as good as GET", file: pageHandlerGo,
		from: "r.Method != http.MethodGet && r.Method != http.MethodHead",
		to:   "r.Method == http.MethodDelete", tests: "^TestMethods$",
	},
	{
		name: "page: HEAD is refused", file: pageHandlerGo,
		from: "r.Method != http.MethodGet && r.Method != http.MethodHead",
		to:   "r.Method != http.MethodGet", tests: "^TestMethods$",
	},
	{
		name: "page: without a slash links lead elsewhere", file: pageHandlerGo,
		from: "if r.URL.Path == \"\" {",
		to:   "if false {", tests: "^TestPrefix$",
	},
	{
		name: "page: it sends the browser to another host", file: pageHandlerGo,
		from: `"./"+last+"/"`,
		to:   `asked+"/"`, tests: "^TestPrefix$",
	},
	{
		name: "page: markup stays markup in JSON", file: pageHandlerGo,
		from: "\tif err := json.NewEncoder(&text).Encode(v); err != nil {",
		to:   "\tplain := json.NewEncoder(&text)\n\tplain.SetEscapeHTML(false)\n\tif err := plain.Encode(v); err != nil {", tests: "^TestHostileNames$",
	},
	{
		name: "page: each viewer has all generators read", file: pageSampleGo,
		from: "since >= 0 && since < every*9/10",
		to:   "since < 0", tests: "^TestSamplesAreShared$",
	},
	{
		name: "page: a clock that was set back stops the samples", file: pageSampleGo,
		from: "since >= 0 && since < every*9/10",
		to:   "since < every*9/10", tests: "^TestRates$",
	},
	{
		name: "page: rates of a moment", file: pageSampleGo,
		from: "case took < step:",
		to:   "case took < 0:", tests: "^TestRates$",
	},
	{
		name: "page: the bar of a reservation is always full", file: pageSampleGo,
		from: "if t.reservedUntil != r.Until.MS {",
		to:   "if true {", tests: "^TestReservationRunsDown$",
	},
	{
		name: "page: texts of failures are shown all the same", file: pageSampleGo,
		from: "if hide {",
		to:   "if false {", tests: "^TestHideFailures$",
	},
	{
		name: "page: stores are named all the same", file: pageSourceGo,
		from: "v.Segment.Store = \"\"",
		to:   "v.Segment.Tag = \"\"", tests: "^TestHideFailures$",
	},
	{
		name: "page: reasons name hosts all the same", file: pageSourceGo,
		from: "v.Reasons[i].Text = strings.ReplaceAll(r.code, \"_\", \" \")",
		to:   "v.Reasons[i].code = strings.ReplaceAll(r.code, \"_\", \" \")", tests: "^TestHideFailures$",
	},
	{
		name: "page: holders are shown all the same", file: pageWorkersGo,
		from: "\tif w.hide {\n\t\tv.Holder = \"\"\n\t}\n",
		to:   "", tests: "^TestHideHosts$",
	},
	{
		name: "page: why a list failed is shown all the same", file: pageWorkersGo,
		from: "\t\tif w.hide {\n\t\t\tw.failure = hidden\n\t\t}\n",
		to:   "", tests: "^TestHideHosts$",
	},
	{
		name: "page: a viewer gets points that it has", file: pageHistoryGo,
		from: "max(n, h.count-kept)",
		to:   "max(0, h.count-kept)", tests: "^TestRates$",
	},
	{
		name: "page: two lists are read at once", file: pageWorkersGo,
		from: "if w.running || !w.due(now) {",
		to:   "if !w.due(now) {", tests: "^TestReadsAreBounded$",
	},
	{
		name: "page: lists are read for all of the time", file: pageWorkersGo,
		from: "now.Sub(w.ended) >= (share-1)*w.ended.Sub(w.began)",
		to:   "true", tests: "^TestReadsAreBounded$",
	},
	{
		name: "page: each request reads a list", file: pageWorkersGo,
		from: "now.Sub(w.began) >= every*9/10 &&",
		to:   "", tests: "^TestReadsAreBounded$",
	},
	{
		name: "page: what is hours old is shown", file: pageWorkersGo,
		from: "now.Sub(w.ended) > stale+share*w.took",
		to:   "false", tests: "^TestReadsAreBounded$",
	},
	{
		name: "page: silence is no outage", file: pageWorkersGo,
		from: "case w.running && waits > max(patience, 4*w.took):",
		to:   "case false && waits > max(patience, 4*w.took):", tests: "^TestOutageWithinTwoSeconds$",
	},
	{
		name: "page: each attempt begins an outage anew", file: pageWorkersGo,
		from: "if w.failure == \"\" {\n\t\t\tw.trouble",
		to:   "if true {\n\t\t\tw.trouble", tests: "^TestOutageWithinTwoSeconds$",
	},
	{
		name: "page: a panic of the list ends the program", file: pageWorkersGo,
		from: "if r := recover(); r != nil {",
		to:   "if r := any(nil); r != nil {", tests: "^TestWorkersPanic$",
	},
	{
		name: "page: the list is as long as it likes", file: pageWorkersGo,
		from: "if len(all) > most {",
		to:   "if false {", tests: "^TestRoster$",
	},
	{
		name: "page: the caller's list is put in another order", file: pageWorkersGo,
		from: "all = slices.Clone(all)",
		to:   "all = all[:len(all):len(all)]", tests: "^TestRoster$",
	},
	{
		name: "page: the lease of another layout", file: pageWorkersGo,
		from: "&& l.Layout == layout &&",
		to:   "&&", tests: "^TestLeaseOfAGenerator$",
	},
	{
		name: "page: one of two leases, by chance", file: pageWorkersGo,
		from: "if len(found) != 1 {",
		to:   "if len(found) == 0 {", tests: "^TestLeaseOfAGenerator$",
	},
	{
		name: "page: a holder is blamed for its predecessor's UID", file: pageDecodeGo,
		from: "lease.Acquired.MS <= p.Time",
		to:   "lease.Acquired.MS > 0 || lease.Acquired.MS <= p.Time", tests: "^TestDecodeHolders$",
	},
	{
		name: "page: thirteen digits are only decimal", file: pageDecodeGo,
		from: "if u, err := form.ParseBase32(s); err == nil {",
		to:   "if u, err := form.ParseBase32(s); err == nil && len(found) == 0 {", tests: "^TestDecodeBothForms$",
	},
	{
		name: "page: a closed generator has its worker", file: pageDecodeGo,
		from: "&& g.now.Reserved != nil {",
		to:   "{", tests: "^TestDecodeOwn$",
	},
	{
		name: "page: two generators share a name", file: pageConfigGo,
		from: "if seen[g.Name] {",
		to:   "if false {", tests: "^TestConfigIsChecked$",
	},
	{
		name: "page: a name may be as long as it likes", file: pageConfigGo,
		from: "n < 1 || n > maxName",
		to:   "n < 1", tests: "^TestConfigIsChecked$",
	},
	{
		name: "page: a page of nothing", file: pageConfigGo,
		from: "if len(c.Generators) == 0 && c.Workers == nil && c.Layout.IsZero() {",
		to:   "if false {", tests: "^TestConfigIsChecked$",
	},
	{
		name: "ring: a closed generator's ring holds UIDs", file: ringStateGo,
		from: "&& !g.closed()",
		to:   "", tests: "^TestRingState$",
	},
	{
		name: "ring: the cursor runs beyond the tail", file: ringStateGo,
		from: "g.ring.Tick(pos) < g.ring.Tail()",
		to:   "g.ring.Tick(pos) <= g.ring.Tail()+1", tests: "^TestRingState$",
	},
}
