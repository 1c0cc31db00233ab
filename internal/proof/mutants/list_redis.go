package main

const (
	redisWriteLua  = "stores/redis/lua/write.lua"
	redisFreeLua   = "stores/redis/lua/free.lua"
	redisServerLua = "stores/redis/lua/server.lua"
	redisScriptGo  = "stores/redis/script.go"
	redisStoreGo   = "stores/redis/store.go"
	redisTakeGo    = "stores/redis/take.go"
	redisInspectGo = "stores/redis/inspect.go"
	redisFailureGo = "stores/redis/failure.go"
	inRedis        = "stores/redis"
)

// redisStore are faults in the store in Redis, which tests on a server in memory notice.
var redisStore = []mutant{
	{
		name: "redis: a row that was written meanwhile is overwritten", file: redisWriteLua,
		from: "if row ~= ARGV[i + 1] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: a namespace that was written meanwhile is not minded", file: redisWriteLua,
		from: "if ARGV[2] ~= '-' and namespace ~= ARGV[2] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "TestStore|TestRegistry",
	},
	{
		name: "redis: what was decided before a restart is stored", file: redisWriteLua,
		from: "if history ~= ARGV[1] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: what was decided before a promotion is stored", file: redisServerLua,
		from: "process .. ' ' .. lineage", to: "process", in: inRedis, tests: "TestPromotion",
	},
	{
		name: "redis: what was decided before a restart is stored, if there was no promotion", file: redisServerLua,
		from: "process .. ' ' .. lineage", to: "lineage", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: a row that was written twice is taken for another's", file: redisWriteLua,
		from: "if row == ARGV[i + 2] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "FindsItself",
	},
	{
		name: "redis: a namespace that was written twice is taken for another's", file: redisWriteLua,
		from: "if ARGV[3] ~= '' and namespace == ARGV[3] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "FindsItself",
	},
	{
		name: "redis: half of a write is stored before an error", file: redisWriteLua,
		from: "redis.call('ZCARD', KEYS[4])\n", to: "", in: inRedis, tests: "Unreadable",
	},
	{
		name: "redis: a write is sent again when its reply is lost", file: redisScriptGo,
		from: "if script == writeScript || script", to: "if script", in: inRedis, tests: "WriteIsSentOnce",
	},
	{
		name: "redis: all writes are alike", file: "stores/redis/value.go",
		from: "leasejson.Row(row, rand.Text())", to: `leasejson.Row(row, rand.Text()[:0])`, in: inRedis, tests: "VersionsDiffer",
	},
	{
		name: "redis: a replica is read", file: redisServerLua,
		from: "if string.match(replication, 'role:(%a+)') ~= 'master' then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "ReplicaIsNotRead",
	},
	{
		name: "redis: a call waits for its client", file: redisScriptGo,
		from: "	case <-ctx.Done():\n		return ctx.Err()\n	}\n", to: "	}\n", in: inRedis, tests: "ContextEndsWait", hangs: true,
	},
	{
		name: "redis: a Take ignores the namespace's IDs", file: redisFreeLua,
		from: "if to ~= '0' then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: rows that are not over for long enough are offered", file: redisFreeLua,
		from: "tonumber(time[2]) - tonumber(ARGV[3]))", to: "tonumber(time[2]))", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: a row whose lease ends now is over", file: redisFreeLua,
		from: "local before = '(' .. ", to: "local before = ", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: only the first few rows are looked at", file: redisTakeGo,
		from: "case chosen == nil && !free.all:", to: "case false:", in: inRedis, tests: "ManyRowsOfTheFuture",
	},
	{
		name: "redis: Given is not raised", file: redisTakeGo,
		from: "\t\t\tn.Given = c.last\n", to: "", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: Given is raised and one row is made", file: redisTakeGo,
		from: "id <= c.last; id++ {", to: "id < c.id; id++ {", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: decide sets Given", file: redisTakeGo,
		from: "if n.Given = c.namespace.Given; c.rowText", to: "if c.rowText", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: a decision of Init sets Given", file: redisStoreGo,
		from: "refused := decide(&n, read.clock)\n\t\tn.Given = max(was.Given, read.top)\n", to: "refused := decide(&n, read.clock)\n", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: a row above Given is not minded", file: redisTakeGo,
		from: "max(c.was.Given, free.top)", to: "c.was.Given", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: a namespace that is made anew forgets the rows that are left", file: "stores/redis/lua/namespace.lua",
		from: "local highest, reach = top(), '0'", to: "local highest, reach = '-1', '0'", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: a row that no index names is tried for ever", file: redisTakeGo,
		from: "c.history == raced.history {", to: "c.history != raced.history {", in: inRedis, tests: "NoIndexNames", hangs: true,
	},
	{
		name: "redis: rows that are missing are not named", file: "stores/redis/lua/none.lua",
		from: "if complete(from, high) then", to: "if high >= 0 then", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: other rows are named than those that are missing", file: "stores/redis/lua/none.lua",
		from: "low = middle + 1", to: "low = middle + 2", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: rows of the future are offered", file: redisTakeGo,
		from: "if row.High <= highest {", to: "if row.High <= highest || true {", in: inRedis, tests: "TestStore",
	},
	{
		name: "redis: those who lost a race meet again", file: redisTakeGo,
		from: "choices = min(crowd*choices, widest); c", to: "choices = 1; c", in: inRedis, tests: "StartsAtOnce",
	},
	{
		name: "redis: a namespace without a name", file: redisStoreGo,
		from: "if refused == nil || !was.Fresh {", to: "if false {", in: inRedis, tests: "TestRegistry",
	},
	{
		name: "redis: a missing append-only file is accepted", file: redisInspectGo,
		from: `case f.info["aof_enabled"] == "0":`, to: "case false:", in: inRedis, tests: "Inspect",
	},
	{
		name: "redis: eviction of leases is accepted", file: redisInspectGo,
		from: `case policy != "" && limit > 0:`, to: "case false:", in: inRedis, tests: "Inspect",
	},
	{
		name: "redis: it calls itself durable", file: redisInspectGo,
		from: "lossy = []string{always}", to: "lossy = nil", in: inRedis, tests: "Inspect|DurableStore",
	},
	{
		name: "redis: the server's own words are in errors", file: redisFailureGo,
		from: `return "an error that is not known"`, to: "return text", in: inRedis, tests: "ServersErrors",
	},
	{
		name: "redis: the client's own words are in errors", file: redisFailureGo,
		from: `the client failed (%T)", doing, err)`, to: `the client failed (%v)", doing, err)`, in: inRedis, tests: "ConnectionsErrors",
	},
}
