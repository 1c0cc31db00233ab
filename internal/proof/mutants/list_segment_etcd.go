package main

const (
	etcdSegmentsGo   = "stores/etcd/segments.go"
	etcdSegmentRowGo = "stores/etcd/segmentrow.go"
	etcdExamineGo    = "stores/etcd/examine.go"
)

// etcdSegments are faults of the store of segments in etcd; what it shares with leases is in
// list_etcd.go.
var etcdSegments = []mutant{
	{
		name: "etcd: a segment that was written meanwhile is overwritten", file: etcdSegmentsGo,
		from: "[]record{was}", to: `[]record{{key: "another"}}`, tests: "TestSegments$",
	},
	{
		name: "etcd: a segment of another cluster is used", file: etcdSegmentRowGo,
		from: "return v.row, v.fits(was.key, cluster)", to: "return v.row, nil", tests: "SegmentsRestoredElsewhere",
	},
	{
		name: "etcd: two writes of a segment can have the same value", file: etcdSegmentRowGo,
		from: "segmentjson.MarshalRow(row, rand.Text())", to: "segmentjson.MarshalRow(row, rand.Text()[:0])", tests: "SegmentValue",
	},
	{
		name: "etcd: a segment is given another time", file: etcdSegmentRowGo,
		from: "row.Tag, row.Fresh, row.Updated = tag, false, s.store.clock().Now", to: "row.Tag, row.Fresh = tag, false", tests: "SegmentValue",
	},
	{
		name: "etcd: a segment's cluster may be any text", file: etcdSegmentRowGo,
		from: "if !isCluster(v.Cluster) {", to: "if false {", tests: "SegmentUnreadable",
	},
	{
		name: "etcd: a segment's own form may be any", file: etcdSegmentRowGo,
		from: "if err := leasejson.Strict(string(is.data), version, &v); err != nil {",
		to:   "_ = leasejson.Strict\n\tif err := json.Unmarshal(is.data, &v); err != nil {", tests: "SegmentUnreadable",
	},
	{
		name: "etcd: any key is that of a tag", file: etcdSegmentRowGo,
		from: "if err := segment.CheckTag(tag); err != nil {", to: "if false {", tests: "SegmentUnreadable",
	},
	{
		name: "etcd: a segment may have any tag", file: etcdSegmentsGo,
		from: "\tif err := segment.CheckTag(tag); err != nil {\n\t\treturn err\n\t}\n", to: "", tests: "SegmentRefusals",
	},
	{
		name: "etcd: a segment that is refused is read twice", file: etcdSegmentsGo,
		from: "\t\tr = now\n", to: "\t\t_ = now\n\t\tr, err = s.store.get(ctx, doing, get...)\n", tests: "SegmentRequests",
	},
	{
		name: "etcd: a page of segments begins with the last of the one before", file: etcdSegmentsGo,
		from: `from = s.key(after) + "\x00"`, to: `from = s.key(after)`, tests: "SegmentRows",
	},
	{
		name: "etcd: segments after the first page are left out", file: etcdSegmentsGo,
		from: "if !r.responses[0].More {", to: "if true {", tests: "SegmentRows",
	},
	{
		name: "etcd: none of the segments are all of them", file: etcdSegmentsGo,
		from: "for most > 0 {", to: "for {", tests: "SegmentRows",
	},
	{
		name: "etcd: segments know of no faults", file: etcdSegmentsGo,
		from: "return s.store.inspect(ctx)", to: "return nil, nil", tests: "InspectSegments",
	},
	{
		name: "etcd: an examination leaves segments out", file: etcdExamineGo,
		from: "e.namespaces, e.segments}", to: "e.namespaces}", tests: "ExamineSegments",
	},
	{
		name: "etcd: an examination finds all segments well", file: etcdExamineGo,
		from: "err = v.fits(is.key, cluster)", to: "_ = v.fits(is.key, cluster)", tests: "ExamineSegments",
	},
	{
		name: "etcdtest: segments have no faults", file: "stores/etcd/etcdtest/segments.go",
		from: "client.(*faultySegments).set(fault)", to: "_ = client.(*faultySegments).set", in: "stores/etcd", tests: "TestSegments$",
	},
}
