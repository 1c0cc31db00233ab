package main

const (
	storePlaceGo = "cmd/uid/store_place.go"
	fileStoreGo  = "cmd/uid/store_sqlite.go"
)

// places are faults in how the command tells a file from a server, and what it says of its store.
var places = []mutant{
	{
		name: "command: any word is the path of a file", file: storePlaceGo,
		from: `(folders || strings.HasSuffix(text, ".db") || strings.HasSuffix(text, ".sqlite")) &&`,
		to:   `(folders || text != "") &&`, tests: "^TestWhatIsNoStore$|^TestPaths$",
	},
	{
		name: "command: a path has a colon", file: storePlaceGo,
		from: "\":@$\"",
		to:   "\"@$\"", tests: "^TestWhatIsNoStore$|^TestOneWrongCharacter$",
	},
	{
		name: "command: a path has an @", file: storePlaceGo,
		from: "\":@$\"",
		to:   "\":$\"", tests: "^TestWhatIsNoStore$",
	},
	{
		name: "command: a path has a $", file: storePlaceGo,
		from: "\":@$\"",
		to:   "\":@\"", tests: "^TestWhatIsNoStore$",
	},
	{
		name: "command: a URL without its colon is the path of a file", file: storePlaceGo,
		from: " && (first == \"\" || !strings.HasPrefix(rest, \"/\"))",
		to:   " && (first == \"\" || !strings.HasPrefix(rest, \"//\"))", tests: "^TestOneWrongCharacter$",
	},
	{
		name: "command: every letter before a colon is a drive", file: storePlaceGo,
		from: `text[1:3] == ":/"`,
		to:   `text[1] == ':'`, tests: "^TestPaths$",
	},
	{
		name: "command: a drive is one on every system", file: storePlaceGo,
		from: "if goos == \"windows\" {",
		to:   "if goos != \"\" {", tests: "^TestPaths$",
	},
	{
		name: "command: an odd store is repeated", file: storePlaceGo,
		from: "badInput(\"%s names no store: a",
		to:   "badInput(\"%s names no store (\"+text+\"): a", tests: "^TestWhatIsNoStore$",
	},
	{
		name: "command: UID_STORE is any file", file: "cmd/uid/store.go",
		from: "return parsePlace(place, storeEnv)",
		to:   "return choice{file: place, source: storeEnv}, nil", tests: "^TestWhatIsNoStore$",
	},
	{
		name: "command: a file is moved to the address of a server", file: "cmd/uid/store_move.go",
		from: "!isPath(to, runtime.GOOS)",
		to:   "!isPath(from, runtime.GOOS)", tests: "^TestStoreIsNotMovedToAServer$",
	},
	{
		name: "command: a part of a password is the host", file: "cmd/uid/store_url.go",
		from: "if strings.Contains(path+query, \"@\") {",
		to:   "if strings.Contains(authority, \"@@\") {", tests: "^TestBadStoreURLs$",
	},
	{
		name: "command: a part of a password is a parameter", file: "cmd/uid/store_url.go",
		from: "if strings.Contains(path+query, \"@\") {",
		to:   "if strings.Contains(path, \"@\") {", tests: "^TestBadStoreURLs$",
	},
	{
		name: "command: each file is a new one", file: fileStoreGo,
		from: "; missing != nil && still == nil {",
		to:   "; still == nil {", tests: "^TestNewFileIsTold$",
	},
	{
		name: "command: a new file is not told of", file: fileStoreGo,
		from: "; missing != nil && still == nil {",
		to:   "; missing != nil && still != nil {", tests: "^TestNewFileIsTold$",
	},
	{
		name: "serve: the worker ID is told of as it was at first", file: "cmd/uid/serve_view.go",
		from: "g.Stats().WorkerID, own",
		to:   "s.workerID.id, own", tests: "^TestServe$",
	},
	{
		name: "command: the store's DSN is told of", file: "cmd/uid/store_show.go",
		from: "return \"a MySQL or MariaDB server\", bytes, true",
		to:   "return place.dsn, bytes, true", tests: "^TestStoreIsShown$|^TestServeTellsNoSecret$",
	},
}
