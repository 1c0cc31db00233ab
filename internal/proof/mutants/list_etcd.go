package main

const (
	etcdTxnGo    = "stores/etcd/txn.go"
	etcdLeasesGo = "stores/etcd/leases.go"
	etcdFreeGo   = "stores/etcd/free.go"
	etcdRacedGo  = "stores/etcd/raced.go"
	etcdScanGo   = "stores/etcd/scan.go"
	etcdValuesGo = "stores/etcd/values.go"
	etcdErrorsGo = "stores/etcd/errors.go"
	etcdFaultsGo = "stores/etcd/etcdtest/faults.go"
)

// etcdStore are faults of the store in etcd. Its tests have a small server in memory.
var etcdStore = []mutant{
	{
		name: "a write does not compare values", file: etcdTxnGo,
		from: "\tif r.found() {\n\t\tcmps",
		to:   "\tif false {\n\t\tcmps", tests: "DecidedBeforeRestore",
	},
	{
		name: "a write does not compare revisions", file: etcdTxnGo,
		from: `clientv3.Compare(clientv3.ModRevision(r.key), "=", r.revision)`,
		to:   `clientv3.Compare(clientv3.ModRevision(r.key), ">", int64(-1))`, tests: "TestStore",
	},
	{
		name: "a write does not ask for the revision that was read", file: etcdTxnGo,
		from: "clientv3.WithRev(r.revision), clientv3.WithCountOnly()",
		to:   "clientv3.WithCountOnly()", tests: "DecidedBeforeRestore",
	},
	{
		name: "a revision that is compacted fails a write", file: etcdTxnGo,
		from: "|| errors.Is(err, rpctypes.ErrCompacted):",
		to:   ":", tests: "DecidedBeforeRestore",
	},
	{
		name: "any cluster confirms a write", file: etcdTxnGo,
		from: "case resp.Header.ClusterId != r.cluster:",
		to:   "case false:", tests: "DecidedBeforeRestore",
	},
	{
		name: "a write that was sent twice is refused", file: etcdTxnGo,
		from: "return now, now.has(puts[0]), nil",
		to:   "return now, false, nil", tests: "SentTwice",
	},
	{
		name: "two writes can have the same value", file: etcdValuesGo,
		from: "leasejson.Namespace(n, rand.Text())",
		to:   "leasejson.Namespace(n, rand.Text()[:0])", tests: "ValuesDiffer",
	},
	{
		name: "two writes of a row can have the same value", file: etcdValuesGo,
		from: "leasejson.Row(r, rand.Text())",
		to:   "leasejson.Row(r, rand.Text()[:0])", tests: "ValuesDiffer",
	},
	{
		name: "a namespace of another cluster is used", file: etcdTxnGo,
		from: "if s.value.Cluster != hex(r.cluster) {",
		to:   "if false {", tests: "RestoredElsewhere",
	},
	{
		name: "clients have bounds for their clocks that differ", file: etcdTxnGo,
		from: "e != l.store.cfg.ClockError {",
		to:   "e < 0 {", tests: "ClockErrors",
	},
	{
		name: "a request waits until there is a leader", file: etcdTxnGo,
		from: "context.WithTimeout(clientv3.WithRequireLeader(ctx), s",
		to:   "context.WithTimeout(ctx, s", tests: "Requests",
	},
	{
		name: "a request has no time limit", file: etcdTxnGo,
		from: "clientv3.WithRequireLeader(ctx), s.cfg.RequestTimeout)",
		to:   "clientv3.WithRequireLeader(ctx), 1000*s.cfg.RequestTimeout*1000)", tests: "Contexts", hangs: true,
	},
	{
		name: "a Change does not ask whose cluster it is", file: etcdLeasesGo,
		from: "\t\tif err := l.fits(r, n); err != nil {\n\t\t\treturn err\n\t\t}\n",
		to:   "", tests: "RestoredElsewhere",
	},
	{
		name: "an Init does not ask whose cluster it is", file: etcdLeasesGo,
		from: "\t\tif err := l.fits(r, was); err != nil {\n\t\t\treturn err\n\t\t}\n",
		to:   "", tests: "RestoredElsewhere",
	},
	{
		name: "a Take does not ask whose cluster it is", file: etcdFreeGo,
		from: "\tif err := l.fits(r, v.space); err != nil {\n\t\treturn v, err\n\t}\n",
		to:   "", tests: "RestoredElsewhere",
	},
	{
		name: "a Change does not compare the namespace", file: etcdLeasesGo,
		from: "[]record{n.record, was}",
		to:   "[]record{was}", tests: "NamespaceMadeAnew",
	},
	{
		name: "a Take in etcd does not compare the namespace", file: etcdLeasesGo,
		from: "[]record{v.space.record, free.record}",
		to:   "[]record{free.record}", tests: "TestStore",
	},
	{
		name: "a Take does not compare the row", file: etcdLeasesGo,
		from: "[]record{v.space.record, free.record}",
		to:   "[]record{v.space.record}", tests: "TestStore",
	},
	{
		name: "etcd: Given is not raised", file: etcdLeasesGo,
		from: "\t\t\tn.Given = free.last\n",
		to:   "", tests: "TestStore",
	},
	{
		name: "etcd: Given is raised and one row is made", file: etcdLeasesGo,
		from: "for id := free.WorkerID + 1; id <= free.last; id++ {",
		to:   "for id := free.WorkerID + 1; id < free.WorkerID; id++ {", tests: "TestStore",
	},
	{
		name: "etcd: decide sets Given", file: etcdLeasesGo,
		from: "if n.Given = v.given; !free.found() {",
		to:   "if !free.found() {", tests: "TestStore",
	},
	{
		name: "etcd: a decision of Init sets Given", file: etcdLeasesGo,
		from: "\t\tn.Given = top\n",
		to:   "", tests: "TestStore",
	},
	{
		name: "etcd: new rows are written over those above Given", file: etcdFreeGo,
		from: "end: l.keys.after(ids.Last)}",
		to:   "end: l.keys.after(ids.First)}", tests: "TestRowAboveGiven|TestStore",
	},
	{
		name: "etcd: a row above Given is not minded", file: etcdFreeGo,
		from: "v.given = max(v.given, k.WorkerID)",
		to:   "_ = k", tests: "TestStore", hangs: true,
	},
	{
		name: "etcd: Init does not look for rows above Given", file: etcdLeasesGo,
		from: "if n.Given = top; n.Fresh {",
		to:   "if n.Given = max(n.Given, -1); n.Fresh {", tests: "TestStore",
	},
	{
		name: "etcd: new rows are made beside those that nobody has taken", file: etcdFreeGo,
		from: "some && (v.all || v.ends) {",
		to:   "some {", tests: "NewRowsAreFound",
	},
	{
		name: "etcd: the rows that others have made meanwhile are not read", file: etcdRacedGo,
		from: "return v, l.add(&v, 1)",
		to:   "return v, nil", tests: "NewRowsAreFound|ManyAtOnce",
	},
	{
		name: "etcd: the first rows that others have made meanwhile are taken for all", file: etcdRacedGo,
		from: "v.ends = !r.responses[1].More",
		to:   "v.ends = true", tests: "NewRowsAreFound",
	},
	{
		name: "a namespace that is made anew forgets the rows that are left", file: etcdScanGo,
		from: "return top, reach, nil",
		to:   "return given, reach, nil", tests: "RowsAreLeft",
	},
	{
		name: "the octaves above the first rows are not looked at", file: etcdFreeGo,
		from: "size > 0 && size <= ids.Last-ids.First; size *= 2",
		to:   "size < 0; size *= 2", tests: "LargeNamespace",
	},
	{
		name: "what was read beyond the namespace's own range counts", file: etcdFreeGo,
		from: "\t\tif !v.all && v.ids != ids {\n",
		to:   "\t\tif false {\n", tests: "RangeOfItsOwn",
	},
	{
		name: "many that start at once want the same ID", file: etcdFreeGo,
		from: "\tif v.losses > 0 {",
		to:   "\tif v.losses > 1<<20 {", tests: "ManyAtOnce",
	},
	{
		name: "rows that others have got are tried one by one", file: etcdRacedGo,
		from: "found && is != k.revision",
		to:   "found && is < k.revision", tests: "ManyAtOnce",
	},
	{
		name: "a Take reads no further", file: etcdFreeGo,
		from: "\tcase !v.all || len(v.lost) > 0 && len(over) == 0:",
		to:   "\tcase len(v.lost) > 0 && len(over) == 0:", tests: "FullNamespace",
	},
	{
		name: "the last resort is forgotten", file: etcdScanGo,
		from: "\t\t\t\t\tover = append(over, k)\n",
		to:   "", tests: "FullNamespace",
	},
	{
		name: "a namespace's own form may be any", file: etcdValuesGo,
		from: "leasejson.Strict(string(data), version, &v)",
		to:   "json.Unmarshal(data, &v)", tests: "Unreadable",
	},
	{
		name: "a cluster's ID may be any text", file: etcdValuesGo,
		from: "if !isCluster(v.Cluster) {",
		to:   "if false {", tests: "Unreadable",
	},
	{
		name: "a bound for the clocks that nobody can have set is read", file: etcdValuesGo,
		from: "if v.ClockError < 1 || v.ClockError > maxClockError.Microseconds() {",
		to:   "if false {", tests: "Unreadable",
	},
	{
		name: "an error quotes a text that may hold a secret", file: etcdErrorsGo,
		from: `"etcd: %s: %s (%v)", doing, p.say, s.Code())`,
		to:   `"etcd: %s: %s (%v)", doing, p.say+s.Message(), s.Code())`, tests: "TestErrors",
	},
	{
		name: "an error of a kind that is not known is quoted", file: etcdErrorsGo,
		from: `"etcd: %s: %v (its text is withheld, for it may quote an address or an account)", doing, s.Code())`,
		to:   `"etcd: %s: %v (its text is withheld)", doing, s.Message())`, tests: "TestErrors",
	},
	{
		name: "a lost leader is final", file: etcdErrorsGo,
		from: "passes := err.Code() == codes.Unavailable",
		to:   "passes := false", tests: "TestErrors",
	},
	{
		name: "etcdtest: a write that is to be lost is sent", file: etcdFaultsGo,
		from: "case storetest.Refuse, storetest.LoseWrite:", to: "case storetest.Refuse:", tests: "TestFaults",
	},
	{
		name: "etcdtest: a reply that is to be lost arrives", file: etcdFaultsGo,
		from: "case storetest.LoseReply:", to: "case -1:", tests: "TestFaults",
	},
	{
		name: "etcdtest: a read takes a write's fault", file: etcdFaultsGo,
		from: "if writes || f.next == storetest.Refuse {", to: "{", tests: "TestFaults",
	},
}
