package main

const (
	redisSegmentsGo       = "stores/redis/segments.go"
	redisSegmentTextsGo   = "stores/redis/segmenttexts.go"
	redisSegmentInspectGo = "stores/redis/segmentinspect.go"
	redisSegmentWriteLua  = "stores/redis/lua/segment_write.lua"
)

// redisSegments are faults of the store of segments in Redis, which tests on a server in memory
// notice.
var redisSegments = []mutant{
	{
		name: "redis: a counter that others have drawn from is overwritten", file: redisSegmentWriteLua,
		from: "if (counter or '') ~= ARGV[2] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "TestSegments$|SegmentForeign",
	},
	{
		name: "redis: counters are compared as floats", file: redisSegmentWriteLua,
		from: "if (counter or '') ~= ARGV[2] then", to: "if tonumber(counter or '') ~= tonumber(ARGV[2]) then", in: inRedis, tests: "SegmentForeign",
	},
	{
		name: "redis: a segment that was written meanwhile is overwritten", file: redisSegmentWriteLua,
		from: "if (row or '') ~= ARGV[3] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "SegmentVersionsDiffer",
	},
	{
		name: "redis: numbers decided before a restart are stored", file: redisSegmentWriteLua,
		from: "if history ~= ARGV[1] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "SegmentHistory",
	},
	{
		name: "redis: a segment that was written twice is taken for another's", file: redisSegmentWriteLua,
		from: "if row == ARGV[5] then", to: "if ARGV[1] == 'another' then", in: inRedis, tests: "SegmentWriteFindsItself",
	},
	{
		name: "redis: half of a segment is written before an error", file: redisSegmentWriteLua,
		from: "redis.call('MSET', KEYS[1], ARGV[4], KEYS[2], ARGV[5])",
		to:   "redis.call('SET', KEYS[1], ARGV[4])\nredis.call('MSET', KEYS[2], ARGV[5])", in: inRedis, tests: "SegmentWriteFails",
	},
	{
		name: "redis: a counter keeps its time to live", file: redisSegmentWriteLua,
		from: "redis.call('MSET', KEYS[1], ARGV[4], KEYS[2], ARGV[5])",
		to:   "redis.call('SET', KEYS[1], ARGV[4], 'KEEPTTL')\nredis.call('SET', KEYS[2], ARGV[5])", in: inRedis, tests: "SegmentTimeToLive",
	},
	{
		name: "redis: a write of a segment is sent again when its reply is lost", file: redisScriptGo,
		from: "script == writeScript || script == segmentWriteScript {", to: "script == writeScript {", in: inRedis, tests: "SegmentWriteIsSentOnce",
	},
	{
		name: "redis: all writes of a segment are alike", file: redisSegmentTextsGo,
		from: "segmentjson.MarshalRow(row, rand.Text())", to: "segmentjson.MarshalRow(row, rand.Text()[:0])", in: inRedis, tests: "SegmentTexts|SegmentVersionsDiffer",
	},
	{
		name: "redis: what stands beside a counter that is gone is not seen", file: redisSegmentTextsGo,
		from: "Fresh: true, Writes: row.Writes, Floor: row.Floor, Takers: row.Takers}", to: "Fresh: true}", in: inRedis, tests: "SegmentBehind",
	},
	{
		name: "redis: the row says what is next, not the counter", file: redisSegmentTextsGo,
		from: "row.Next = last + 1", to: "row.Next = max(row.Next, 1)", in: inRedis, tests: "SegmentForeign",
	},
	{
		name: "redis: a counter that was set back is hidden", file: redisSegmentTextsGo,
		from: "row.Next = last + 1", to: "row.Next = max(row.Next, last+1)", in: inRedis, tests: "SegmentBehind",
	},
	{
		name: "redis: a counter may be any text of a number", file: redisSegmentTextsGo,
		from: " || strconv.FormatInt(last, 10) != r.counter {", to: " {", in: inRedis, tests: "SegmentUnreadable",
	},
	{
		name: "redis: a number follows the last one", file: redisSegmentTextsGo,
		from: "if last == math.MaxInt64 {", to: "if false {", in: inRedis, tests: "SegmentUnreadable",
	},
	{
		name: "redis: an empty key is none", file: redisSegmentTextsGo,
		from: `*text == "" && there {`, to: "false {\n\t\t\t_ = there", in: inRedis, tests: "SegmentUnreadable",
	},
	{
		name: "redis: a counter of another program is no row", file: redisSegmentTextsGo,
		from: "segment.Row{Tag: tag, Step: 1}", to: "segment.Row{Tag: tag}", in: inRedis, tests: "SegmentForeign",
	},
	{
		name: "redis: the counter is the next number", file: redisSegmentTextsGo,
		from: "strconv.FormatInt(row.Next-1, 10)", to: "strconv.FormatInt(row.Next, 10)", in: inRedis, tests: "SegmentTexts",
	},
	{
		name: "redis: a segment is given another time", file: redisSegmentTextsGo,
		from: "row.Tag, row.Fresh, row.Updated = tag, false, now", to: "row.Tag, row.Fresh = tag, false", in: inRedis, tests: "SegmentTexts",
	},
	{
		name: "redis: a segment that is refused is read twice", file: redisSegmentsGo,
		from: "\t\twas = now\n", to: "\t\t_ = now\n\t\twas, err = s.read(ctx, tag)\n", in: inRedis, tests: "SegmentRoundTrips",
	},
	{
		name: "redis: a segment may have any tag", file: redisSegmentsGo,
		from: "\tif err := segment.CheckTag(tag); err != nil {\n\t\treturn err\n\t}\n", to: "", in: inRedis, tests: "SegmentWriteFails",
	},
	{
		name: "redis: a segment without its tag", file: redisSegmentsGo,
		from: "if _, known := s.known.Load(tag); known {", to: "if true {", in: inRedis, tests: "SegmentIndex",
	},
	{
		name: "redis: a tag is registered by each write", file: redisSegmentsGo,
		from: "\ts.known.Store(tag, nil)\n", to: "", in: inRedis, tests: "SegmentRoundTrips",
	},
	{
		name: "redis: a look registers a tag", file: redisSegmentsGo,
		from: "\t\tif err := decide(&row); err != nil {\n", to: "\t\t_ = s.register(ctx, tag)\n\t\tif err := decide(&row); err != nil {\n", in: inRedis, tests: "SegmentIndex",
	},
	{
		name: "redis: tags without rows are rows", file: redisSegmentsGo,
		from: "if !row.Fresh {", to: "{", in: inRedis, tests: "SegmentRows|SegmentIndex",
	},
	{
		name: "redis: segments after the first page are left out", file: redisSegmentsGo,
		from: "if len(tags) < want {", to: "if true {", in: inRedis, tests: "SegmentRows",
	},
	{
		name: "redis: a page of segments that has gaps is the last", file: redisSegmentsGo,
		from: "if len(tags) < want {", to: "if len(found) < want {", in: inRedis, tests: "SegmentRows",
	},
	{
		name: "redis: a page of segments begins with the last of the one before", file: "stores/redis/lua/tags.lua",
		from: "'(' .. ARGV[1]", to: "'[' .. ARGV[1]", in: inRedis, tests: "TestSegments$|SegmentRows",
	},
	{
		name: "redis: a server without the script has no segments", file: redisSegmentTextsGo,
		from: "case redis.HasErrorPrefix(err, \"NOSCRIPT\"):", to: "case false:", in: inRedis, tests: "SegmentRows",
	},
	{
		name: "redis: anything in the index is a tag", file: redisSegmentsGo,
		from: "if err := segment.CheckTag(tag); err != nil {\n\t\t\treturn nil,", to: "if false {\n\t\t\treturn nil,", in: inRedis, tests: "SegmentUnreadable",
	},
	{
		name: "redis: pages of segments outlive their context", file: redisSegmentsGo,
		from: "\tif err != nil && ctx.Err() != nil {\n\t\treturn nil, failed(doing, err)\n\t}\n", to: "", in: inRedis, tests: "SegmentRowsAreGivenUp",
	},
	{
		name: "redis: no append-only file is none of Inspect's business", file: redisSegmentInspectGo,
		from: `case "0":` + "\n\t\tsay(\"the server has no append-only file", to: `case "00":` + "\n\t\tsay(\"the server has no append-only file", in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: appendfsync is none of Inspect's business", file: redisSegmentInspectGo,
		from: `case "always":`, to: `case "always", "everysec":`, in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: an appendfsync that is not told is always", file: redisSegmentInspectGo,
		from: "\tcase \"always\":\n\tcase \"\":\n", to: "\tcase \"always\", \"\":\n\tcase \"-\":\n", in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: a rewrite without syncs is none of Inspect's business", file: redisSegmentInspectGo,
		from: `if syncs["no-appendfsync-on-rewrite"] == "yes" {`, to: "if false {", in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: eviction is none of Inspect's business", file: redisSegmentInspectGo,
		from: `policy != "" && limit > 0 {`, to: `policy == "?" && limit > 0 {`, in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: replicas are none of Inspect's business", file: redisSegmentInspectGo,
		from: "\tcase \"0\":\n\tcase \"\":\n", to: "\tcase \"0\", \"2\":\n\tcase \"\":\n", in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: a cluster is none of Inspect's business", file: redisSegmentInspectGo,
		from: "\tcase \"1\":\n\t\tsay(\"the server is of a Redis Cluster", to: "\tcase \"1\":\n\tcase \"2\":\n\t\tsay(\"the server is of a Redis Cluster", in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: Sentinel is none of Inspect's business", file: redisSegmentInspectGo,
		from: "case cmd.Val()[hello] > 0:", to: "case false:", in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: Inspect takes a server that is starting for one that tells nothing", file: redisSegmentInspectGo,
		from: "\tif retry.IsTransient(err) {\n\t\treturn err\n\t}\n", to: "\t_ = err\n", in: inRedis, tests: "InspectSegments",
	},
	{
		name: "redis: Inspect takes a server that is starting for one without Sentinel", file: redisSegmentInspectGo,
		from: "case retry.IsTransient(err):", to: "case false:", in: inRedis, tests: "InspectSegments",
	},
}
