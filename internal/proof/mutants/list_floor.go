package main

const (
	tenureFloorGo = "internal/tenure/floor.go"
	sqlFloorGo    = "worker/sqlstore/floor.go"
)

// floors are faults in how generators begin above a UID, and in how workers keep that.
var floors = []mutant{
	{
		name: "a floor's own tick is issued", file: "bits/range.go",
		from: "tick := int64(u)>>(l.workerBits+l.sequenceBits) + 1", to: "tick := int64(u) >> (l.workerBits + l.sequenceBits)", tests: "^TestTickAbove",
	},
	{
		name: "a floor beyond the time field is taken", file: "bits/range.go",
		from: "if tick > l.MaxTick() {", to: "if tick > l.MaxTick()+1 {", tests: "^TestTickAbove",
	},
	{
		name: "a negative floor is none", file: tenureFloorGo,
		from: "if f.After < 0 {", to: "if f.After < 0 && false {", in: "cached", tests: "^TestAfterRefused$",
	},
	{
		name: "a floor may be as far ahead as it likes", file: tenureFloorGo,
		from: "begins.Sub(now) > f.Ahead", to: "begins.Sub(now) > f.Ahead && false", in: "cached", tests: "^TestAfterRefused$",
	},
	{
		name: "the worker is not told of the floor", file: "internal/tenure/begin.go",
		from: "cfg.Terms.MinTick = minTick", to: "_ = minTick", in: "cached", tests: "^TestAfter",
	},
	{
		name: "a worker's first reservation may lie below the floor", file: "internal/tenure/tenure.go",
		from: "\tt.raise(&res)\n\tif t.revoked > 0 {", to: "\tif t.revoked > 0 {", tests: "^TestFloorOfAnyWorker$",
	},
	{
		name: "a worker's later reservations may lie below the floor", file: "internal/tenure/tenure.go",
		from: "\t\terr = t.check(res)\n\t\tt.raise(&res)", to: "\t\terr = t.check(res)", tests: "^TestFloorOfAnyWorker$",
	},
	{
		name: "uncached knows no floor", file: "default/generator.go",
		from: "tenure.Floor{After: cfg.After,", to: "tenure.Floor{After: 0,", tests: "^TestAfter",
	},
	{
		name: "a static worker forgets a floor", file: "worker/static.go",
		from: "last = max(last, s.floor)", to: "_ = s.floor", tests: "^TestStaticFloor$",
	},
	{
		name: "a state file does not keep a floor", file: statefileGo,
		from: "f.base = max(f.base, f.terms.MinTick-1)", to: "", tests: "^TestFileFloor$",
	},
	{
		name: "a state file takes a floor that its next start refuses", file: statefileGo,
		from: "if floor >= 0 && floor-f.allowed() > clock", to: "if floor < -1 && floor-f.allowed() > clock", tests: "^TestFileFloor$",
	},
	{
		name: "a lease begins below its generator's floor", file: acquireGo,
		from: "base: max(row.High, ns.Floor, l.terms.MinTick-1)}", to: "base: max(row.High, ns.Floor)}", tests: "^TestFloor",
	},
	{
		name: "a namespace does not keep a floor", file: acquireGo,
		from: "ns.Floor = max(ns.Floor, l.terms.MinTick-1)", to: "", tests: "^TestFloor",
	},
	{
		name: "a lease without a floor lowers the namespace's", file: acquireGo,
		from: "ns.Floor = max(ns.Floor, l.terms.MinTick-1)", to: "ns.Floor = l.terms.MinTick - 1", tests: "^TestFloor",
	},
	{
		name: "a lease takes a floor that nobody can begin above", file: acquireGo,
		from: "return l.checkFloor(now.Now)", to: "return nil", tests: "^TestFloorTooFarAhead$",
	},
	{
		name: "a lease that may lose writes takes a floor for which it cannot wait", file: acquireGo,
		from: "allowed = min(allowed, l.cfg.reach()+l.patience())", to: "", tests: "^TestFloorTooFarAhead$",
	},
	{
		name: "a founder's floor is forgotten", file: foundGo,
		from: "ns.Floor, ns.Rest = f.Terms.MinTick-1, time.Unix(0, 0).UTC()\n\tif f.Rest", to: "ns.Floor, ns.Rest = -1, time.Unix(0, 0).UTC()\n\tif f.Rest", tests: "^TestFoundFloor$",
	},
	{
		name: "the floor of a rest lowers the founder's", file: foundGo,
		from: "ns.Floor = max(ns.Floor, min(", to: "ns.Floor = max(-1, min(", tests: "^TestFoundFloor$",
	},
	{
		name: "a founder's floor does not raise one that is there", file: foundGo,
		from: "case settled && f.Terms.MinTick-1 <= ns.Floor:", to: "case settled:\n\t\treturn errNothing\n\tcase settled && f.Terms.MinTick-1 <= ns.Floor:", tests: "^TestFoundFloor$",
	},
	{
		name: "a founder's floor lowers one that is there", file: foundGo,
		from: "case settled && f.Terms.MinTick-1 <= ns.Floor:", to: "case settled && f.Terms.MinTick-1 == ns.Floor:", tests: "^TestFoundFloor$",
	},
	{
		name: "a founder's floor may be as far ahead as it likes", file: foundGo,
		from: "t.MinTick > 0 && t.MinTick > t.TickAt(now.Now.Add(mostFloorAhead)) {", to: "t.MinTick > t.MaxTick && clock > 0 {", tests: "^TestFoundFloor$",
	},
	{
		name: "a lease from a state file begins below the floor", file: offlineGo,
		from: "base: max(r.High, l.terms.MinTick-1),", to: "base: r.High,", tests: "^TestFloorOffline$",
	},
	{
		name: "a lease from a state file takes a floor that it cannot keep", file: offlineGo,
		from: "if err := l.checkFloor(now); err != nil {", to: "if err := l.checkFloor(now); err != nil && false {", tests: "^TestFloorOffline$",
	},
	{
		name: "a lease from a state file reserves nothing above the floor", file: offlineGo,
		from: "if l.hold.unreserved() {", to: "if false {", tests: "^TestFloorOffline$",
	},
	{
		name: "a disposable ID begins below floors that others keep", file: disposableGo,
		from: "if !kept.IsZero() {", to: "if !kept.IsZero() && false {", tests: "^TestFloor$",
	},
	{
		name: "a disposable ID begins below its generator's floor", file: disposableGo,
		from: "return max(first, t.MinTick), nil", to: "return first, nil", tests: "^TestFloor$",
	},
	{
		name: "a disposable ID begins in the tick within which a floor lies", file: disposableGo,
		from: "t.TickAt(kept.Add(-1)) + 1", to: "t.TickAt(kept)", tests: "^TestFloor$",
	},
	{
		name: "a floor that the clock has passed is kept", file: disposableGo,
		from: "if now := d.cfg.Now(); t.MinTick > t.TickAt(now) {", to: "if now := d.cfg.Now(); t.MinTick > 0 {", tests: "^TestFloor$",
	},
	{
		name: "a start that does not learn of floors goes on", file: disposableGo,
		from: "kept, err := keeper.Begin(ctx, id, at)\n\tif err != nil {", to: "kept, err := keeper.Begin(ctx, id, at)\n\tif err != nil && false {", tests: "^TestFloor$",
	},
	{
		name: "rows without a floor count as floors", file: sqlFloorGo,
		from: "WHERE TYPE IN (3, 4) AND ", to: "WHERE ", in: "internal/proof/databases", tests: "^TestDisposableFloor$",
	},
	{
		name: "floors of the past count", file: sqlFloorGo,
		from: "\" + seconds + \" > \" + now)", to: "\" + seconds + \" > 0 * \" + now)", in: "internal/proof/databases", tests: "^TestDisposableFloor$",
	},
	{
		name: "a start does not pass a floor on", file: sqlFloorGo,
		from: "if begin = max(begin, found); begin == 0 {", to: "if begin = max(begin, found); begin == 0 || at.IsZero() {", in: "internal/proof/databases", tests: "^TestDisposableFloor$",
	},
	{
		name: "a column's time is kept by the second before", file: sqlFloorGo,
		from: "at.Add(time.Second - 1).Unix()", to: "at.Unix()", in: "internal/proof/databases", tests: "^TestDisposableFloor$",
	},
	{
		name: "gen forgets the floor", file: "cmd/uid/gen.go",
		from: "After: uid.UID(g.after), Logger", to: "Logger", tests: "^TestGenAfter$",
	},
	{
		name: "gen takes a floor for a failure of its own", file: "cmd/uid/gen.go",
		from: "if g.after != 0 && errors.Is(err, uid.ErrRange) {", to: "if g.after < 0 && errors.Is(err, uid.ErrRange) {", tests: "^TestGenAfter$",
	},
	{
		name: "gen --segment forgets the floor", file: "cmd/uid/gen_segment.go",
		from: "if g.after != 0 {", to: "if g.after < 0 {", tests: "^TestGenAfter$",
	},
	{
		name: "init forgets the floor", file: "cmd/uid/worker_init.go",
		from: "t.MinTick = tick", to: "_ = tick", tests: "^TestInitAfter$",
	},
}
