package main

const segmentsZooKeeperGo = "stores/zookeeper/segments.go"

// segmentsZooKeeper are faults of the store of segments in ZooKeeper.
var segmentsZooKeeper = []mutant{
	{
		name: "zookeeper: a segment is written whatever its version", file: segmentsZooKeeperGo,
		from: "&zk.SetDataRequest{Path: path, Data: data, Version: was.version}", to: "&zk.SetDataRequest{Path: path, Data: data, Version: -1}", tests: "^TestSegments$",
	},
	{
		name: "zookeeper: a refusal by an old state of a segment is final", file: segmentsZooKeeperGo,
		from: "return refused{err, true, []any{&zk.CheckVersionRequest{Path: path, Version: was.version}}, false}", to: "return err", tests: "^TestSegments$",
	},
	{
		name: "zookeeper: the tags of segments are their nodes' names", file: segmentsZooKeeperGo,
		from: `s.dir + "/" + escape(tag)`, to: `s.dir + "/" + tag`, tests: "^TestSegments",
	},
	{
		name: "zookeeper: segments come in the order of their nodes", file: segmentsZooKeeperGo,
		from: "slices.Sort(tags)", to: "_ = slices.Clip(tags)", tests: "^TestSegments$",
	},
	{
		name: "zookeeper: pages of segments may be of an old state", file: segmentsZooKeeperGo,
		from: "if _, _, err := s.barrier(ctx); err != nil {", to: "if err := ctx.Err(); err != nil {", tests: "^TestSegments$",
	},
	{
		name: "zookeeper: a segment keeps the time of its first write", file: segmentsZooKeeperGo,
		from: "row.Tag, row.Fresh, row.Updated = tag, false, s.clock().Now", to: "row.Tag, row.Fresh = tag, false", tests: "^TestSegmentsRoundTrips$",
	},
	{
		name: "zookeeper: segments are a namespace of leases", file: "stores/zookeeper/path.go",
		from: `segmentsName = ".segments"`, to: `segmentsName = "segments"`, tests: "^TestSegments",
	},
	{
		name: "zookeeper: a tag that is none is written", file: segmentsZooKeeperGo,
		from: "if err := segment.CheckTag(tag); err != nil {", to: "if false {\n\t\tvar err error", tests: "^TestSegments",
	},
	{
		name: "zookeeper: a row that is removed ends a page of segments", file: segmentsZooKeeperGo,
		from: "for len(tags) > 0 && len(rows) < most {", to: "for range 1 {", tests: "^TestSegmentsPages$",
	},
	{
		name: "zookeeper: a page of segments has more than was asked for", file: segmentsZooKeeperGo,
		from: "tags[:min(len(tags), batch, most-len(rows))]", to: "tags[:min(len(tags), batch)]", tests: "^TestSegmentsPages$",
	},
	{
		name: "zookeeper: a segment that an old state lacks is offered as missing", file: segmentsZooKeeperGo,
		from: "if row.Fresh && !a.sure {", to: "if false {", tests: "^TestSegments$",
	},
	{
		name: "zookeeper: the nodes above a segment are not made", file: segmentsZooKeeperGo,
		from: "if err := s.makeAll(ctx, s.dir); err != nil {", to: "if err := ctx.Err(); err != nil {", tests: "^TestSegmentsPages$", hangs: true,
	},
	{
		name: "zookeeper: registries list the tags of segments", file: zkRegistryGo,
		from: "_, ours := unescape(name); return !ours })", to: "return name == \"\" })", tests: "^TestSegmentsRoundTrips$",
	},
	{
		name: "zookeeper: nobody looks at the rights on segments", file: "stores/zookeeper/examine.go",
		from: "if slices.Contains(all.names, segmentsName) {", to: "if false {", tests: "^TestSegmentsRoundTrips$",
	},
	{
		name: "zookeeper: Inspect says nothing of an ensemble that is away", file: segmentsZooKeeperGo,
		from: "return nil, n.err\n}\n\n// Change", to: "return nil, nil\n}\n\n// Change", tests: "^TestSegmentsFail$",
	},
}
