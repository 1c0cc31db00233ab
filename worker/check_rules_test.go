package worker

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// checkFinding wants a finding of the level, with the words in its texts, and complete.
func checkFinding(t *testing.T, f Finding, level Level, words ...string) {
	t.Helper()
	require.Equal(t, level, f.Level, "%+v", f)
	require.NotEmpty(t, f.What)
	require.NotEmpty(t, f.Value)
	require.Equal(t, level == LevelOK, f.Why == "", "%+v", f)
	require.Equal(t, level == LevelOK, f.Do == "", "%+v", f)
	for _, w := range words {
		require.Contains(t, f.Value+"\n"+f.Why+"\n"+f.Do, w)
	}
}

func TestJudgeVersion(t *testing.T) {
	for version, want := range map[string]Level{
		"8.0.36": LevelOK, "9.1.0-log": LevelOK, "5.7.44-log": LevelWarn, "5.6.51": LevelWarn,
		"10.11.19-MariaDB-0+deb12u1": LevelOK, "10.2.4-MariaDB": LevelOK, "10.2.3-MariaDB": LevelWarn, "10.1.48-MariaDB": LevelWarn,
		"11.4.2-MariaDB": LevelOK, "8.0.11-TiDB-v8.1.0": LevelOK,
	} {
		checkFinding(t, judgeVersion(settings{"version": version}), want)
	}
}

func TestJudgeIsolation(t *testing.T) {
	for _, tt := range []struct {
		vars settings
		want Level
	}{
		{settings{"tx_isolation": "REPEATABLE-READ"}, LevelOK},
		{settings{"transaction_isolation": "READ-COMMITTED"}, LevelOK},
		{settings{"tx_isolation": "READ-COMMITTED", "log_bin": "ON", "binlog_format": "MIXED"}, LevelOK},
		{settings{"tx_isolation": "READ-COMMITTED", "log_bin": "OFF", "binlog_format": "STATEMENT"}, LevelOK},
		{settings{"tx_isolation": "READ-COMMITTED", "log_bin": "ON", "binlog_format": "STATEMENT"}, LevelError},
		{settings{"tx_isolation": "READ-UNCOMMITTED"}, LevelWarn},
		{settings{"transaction_isolation": "SERIALIZABLE"}, LevelNote},
	} {
		checkFinding(t, judgeIsolation(tt.vars), tt.want)
	}
}

func TestJudgeIncrement(t *testing.T) {
	for _, tt := range []struct {
		step       string
		disposable bool
		want       Level
	}{{"1", true, LevelOK}, {"7", true, LevelWarn}, {"7", false, LevelNote}} {
		f := judgeIncrement(settings{"auto_increment_increment": tt.step, "auto_increment_offset": "1"}, tt.disposable)
		checkFinding(t, f, tt.want, tt.step+", offset 1")
	}
}

func TestJudgeLoss(t *testing.T) {
	for _, loss := range []Level{LevelNote, LevelError} {
		for v, want := range map[string]Level{"1": LevelOK, "3": LevelOK, "0": loss, "2": loss} {
			checkFinding(t, judgeFlush(settings{"innodb_flush_log_at_trx_commit": v}, loss), want, v)
		}
		checkFinding(t, judgeBinlogSync(settings{"log_bin": "ON", "sync_binlog": "1"}, loss), LevelOK)
		checkFinding(t, judgeBinlogSync(settings{"log_bin": "ON", "sync_binlog": "0"}, loss), loss)
		checkFinding(t, judgeBinlogSync(settings{"log_bin": "1", "sync_binlog": "1000"}, loss), loss)
		require.Empty(t, judgeBinlogSync(settings{"log_bin": "OFF", "sync_binlog": "0"}, loss))
		require.Empty(t, judgeFlush(settings{"version": "8.0.11-TiDB-v8.1.0", "innodb_flush_log_at_trx_commit": "0"}, loss))
	}
	for _, tt := range []struct {
		c    check
		want Level
	}{
		{check{}, LevelError}, // nobody knows what will be used
		{check{hasNodes: true}, LevelError},
		{check{hasNodes: true, hasLease: true}, LevelError},
		{check{hasLease: true}, LevelNote},
		{check{hasLease: true, CheckConfig: CheckConfig{DurableStore: true}}, LevelError},
	} {
		require.Equal(t, tt.want, tt.c.lossLevel())
	}
}

func TestJudgeIDCache(t *testing.T) {
	const create = "CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL AUTO_INCREMENT,\n  PRIMARY KEY (`ID`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	for rest, want := range map[string]Level{
		"": LevelWarn, " /*T![auto_id_cache] AUTO_ID_CACHE=1 */": LevelOK, " AUTO_ID_CACHE=1": LevelOK,
		" /*T![auto_id_cache] AUTO_ID_CACHE=100 */": LevelWarn,
	} {
		checkFinding(t, judgeIDCache(create+rest, "WORKER_NODE"), want)
	}
}

func TestJudgeReplication(t *testing.T) {
	yes, no, none, two := true, false, int64(0), int64(2)
	for _, tt := range []struct {
		name                         string
		r                            replication
		loss                         Level
		writable, replica, replicas_ Level
	}{
		{"alone", replication{isReplica: &no}, LevelError, LevelOK, LevelOK, LevelOK},
		{"primary without replicas", replication{isReplica: &no, binlog: true, replicas: &none}, LevelError, LevelOK, LevelOK, LevelOK},
		{"primary", replication{isReplica: &no, binlog: true, replicas: &two}, LevelError, LevelOK, LevelOK, LevelWarn},
		{"primary of leases", replication{isReplica: &no, binlog: true, replicas: &two}, LevelNote, LevelOK, LevelOK, LevelNote},
		{"semi-synchronous", replication{isReplica: &no, binlog: true, replicas: &two, semiSync: true}, LevelError, LevelOK, LevelOK, LevelNote},
		{"untold", replication{binlog: true}, LevelError, LevelOK, LevelNote, LevelNote},
		{"replica", replication{isReplica: &yes, running: &yes, readOnly: "read_only"}, LevelError, LevelError, LevelError, LevelOK},
		{"writable replica", replication{isReplica: &yes, running: &yes}, LevelError, LevelOK, LevelError, LevelOK},
		{"stopped replica", replication{isReplica: &yes, running: &no}, LevelError, LevelOK, LevelWarn, LevelOK},
		{"Galera", replication{isReplica: &no, cluster: "Galera", multiPrimary: true, binlog: true, replicas: &two}, LevelError, LevelOK, LevelOK, LevelNote},
		{"group replication", replication{isReplica: &no, cluster: "group replication", binlog: true}, LevelError, LevelOK, LevelOK, LevelOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.r.judge(tt.loss)
			require.Len(t, got, 3)
			checkFinding(t, got[0], tt.writable)
			checkFinding(t, got[1], tt.replica)
			checkFinding(t, got[2], tt.replicas_)
		})
	}
}

func TestReplicationOf(t *testing.T) {
	r := replicationOf(settings{"log_bin": "ON", "read_only": "OFF"}, settings{"slaves_connected": "3", "slaves_running": "0", "rpl_semi_sync_master_status": "ON"})
	require.True(t, r.binlog)
	require.True(t, r.semiSync)
	require.EqualValues(t, 3, *r.replicas)
	require.False(t, *r.running)
	require.Nil(t, r.isReplica, "one that is stopped may be one")
	require.Empty(t, r.readOnly)

	r = replicationOf(settings{"read_only": "ON", "wsrep_on": "ON"}, settings{"slaves_running": "1", "wsrep_connected": "ON"})
	require.True(t, *r.isReplica)
	require.Equal(t, "read_only", r.readOnly)
	require.Equal(t, "Galera", r.cluster)

	r = replicationOf(settings{"group_replication_group_name": "x", "group_replication_single_primary_mode": "ON", "super_read_only": "ON"}, settings{})
	require.Equal(t, "group replication", r.cluster)
	require.False(t, r.multiPrimary)
	require.Equal(t, "super_read_only", r.readOnly)
	require.Nil(t, r.replicas)
	r = replicationOf(settings{"group_replication_group_name": "x", "group_replication_single_primary_mode": "OFF"}, settings{"rpl_semi_sync_source_clients": "2"})
	require.True(t, r.multiPrimary)
	require.EqualValues(t, 2, *r.replicas)
	require.Equal(t, "read_only", replicationOf(settings{"read_only": "NO_LOCK_NO_ADMIN"}, settings{}).readOnly)
}

func TestClockOffset(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return now.Add(d * time.Millisecond) }
	for _, tt := range []struct {
		trips         []roundTrip
		offset, bound time.Duration
	}{
		{[]roundTrip{{at(0), at(5), at(10)}}, 0, 5},
		{[]roundTrip{{at(0), at(105), at(10)}}, 100, 5},
		{[]roundTrip{{at(0), at(-95), at(10)}}, -100, 5},
		{[]roundTrip{{at(0), at(900), at(1000)}, {at(0), at(31), at(2)}, {at(0), at(7), at(20)}}, 30, 1},
		{[]roundTrip{{at(0), at(7), at(-20)}}, 7, 0}, // ours went back
	} {
		offset, bound := clockOffset(tt.trips)
		require.Equal(t, tt.offset*time.Millisecond, offset)
		require.Equal(t, tt.bound*time.Millisecond, bound)
	}
}

func TestJudgeClock(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		offset, bound time.Duration
		want          Level
		value         string
	}{
		{3 * ms, ms, LevelOK, "+3 ms from ours, ± 1 ms"},
		{-400 * ms, ms, LevelOK, "-400 ms"},
		{-600 * ms, ms, LevelWarn, "-600 ms"},
		{600 * ms, 200 * ms, LevelOK, "± 200 ms"},
		{2001 * ms, ms / 2, LevelError, "± 1 ms"},
		{-3 * time.Second, 900 * ms, LevelError, "-3000 ms"},
		{-3 * time.Second, 1100 * ms, LevelWarn, "-3000 ms"},
		{0, 3 * time.Second, LevelNote, "± 3000 ms"},
		{time.Hour, 3 * time.Second, LevelError, "+3600000 ms"},
	} {
		checkFinding(t, judgeClock(tt.offset, tt.bound, 2*time.Second), tt.want, tt.value)
	}
}

func TestCounterOf(t *testing.T) {
	const columns = "CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL AUTO_INCREMENT COMMENT 'AUTO_INCREMENT=3',\n  PRIMARY KEY (`ID`)\n)"
	for options, want := range map[string]int64{
		" ENGINE=InnoDB AUTO_INCREMENT=18 DEFAULT CHARSET=utf8mb4 COMMENT='x'":                        18,
		" ENGINE=InnoDB AUTO_INCREMENT=18":                                                            18,
		" ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin AUTO_INCREMENT=30001 COMMENT='x'": 30001,
		" ENGINE=InnoDB DEFAULT CHARSET=utf8mb4":                                                      1,
		" ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT=' AUTO_INCREMENT=7'":                          1,
		"": 0, // with sql_mode NO_TABLE_OPTIONS
		" ENGINE=InnoDB AUTO_INCREMENT=99999999999999999999": math.MaxInt64,
	} {
		require.Equal(t, want, counterOf(columns+options), options)
	}
	require.Zero(t, counterOf("CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL\n) ENGINE=InnoDB"))
	require.Zero(t, counterOf(""))
}

func TestJudgeNodes(t *testing.T) {
	const most = 1000
	for _, tt := range []struct {
		n    NodeInfo
		most int64
		want Level
		says string
	}{
		{NodeInfo{}, most, LevelOK, "0 rows"},
		{NodeInfo{0, 0, 1}, most, LevelOK, "next ID 1, of 1000"},
		{NodeInfo{9, 9, 10}, most, LevelOK, ""},
		{NodeInfo{9, 9, 0}, most, LevelOK, "next ID not told"},
		{NodeInfo{9, 9, 9}, most, LevelError, "AUTO_INCREMENT = 10"},
		{NodeInfo{9, 9, 5}, most, LevelError, "not above the largest ID"},
		{NodeInfo{10, 1001, 1002}, most, LevelError, "above the layout's maximum"},
		{NodeInfo{10, 1001, 1002}, 0, LevelNote, "jumps"},
		{NodeInfo{1000, 1000, 1001}, most, LevelError, "No ID is left"},
		{NodeInfo{800, 800, 1001}, most, LevelError, "No ID is left"},
		{NodeInfo{800, 800, 801}, most, LevelOK, ""},
		{NodeInfo{801, 801, 802}, most, LevelWarn, "199 are left"},
		{NodeInfo{10, 70, 77}, most, LevelNote, "jumps"},
		{NodeInfo{1, math.MaxInt64, math.MaxInt64}, math.MaxInt64, LevelError, "not above"},
	} {
		c := &check{CheckConfig: CheckConfig{MaxWorkerID: tt.most}, Registry: &Registry{nodes: "NODES"}}
		c.nodesLeft(Overview{Nodes: &tt.n})
		require.Len(t, c.findings, 1)
		checkFinding(t, c.findings[0], tt.want, tt.says)
	}
	c := &check{Registry: &Registry{}}
	c.nodesLeft(Overview{})
	require.Empty(t, c.findings)
	sqlite := &check{Registry: &Registry{nodes: "NODES", dialect: SQLite}}
	sqlite.nodesLeft(Overview{Nodes: &NodeInfo{9, 9, 9}})
	checkFinding(t, sqlite.findings[0], LevelError, "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'NODES'")
}

func TestJudgeNamespace(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	const layout = "the layout"
	terms := uid.Terms{Layout: layout, Epoch: now.Add(-1000 * time.Second), Unit: time.Second, MaxTick: 1_000_000, MaxWorkerID: 9}
	lease := func(id int64, change func(*LeaseInfo)) LeaseInfo {
		l := LeaseInfo{Namespace: "n", WorkerID: id, State: LeaseFree, Layout: layout, Acquired: now, Renewed: now, Until: now, High: 1000, Reach: 100 * time.Second}
		if change != nil {
			change(&l)
		}
		return l
	}
	high := func(tick int64, s LeaseState) LeaseInfo {
		return lease(4, func(l *LeaseInfo) { l.High, l.State = tick, s })
	}
	const far = 1000 + 100 + 900 // the reach, and MaxAhead
	for _, tt := range []struct {
		name   string
		ns     NamespaceInfo
		leases []LeaseInfo
		want   map[string]Level
		says   string
	}{
		{"sound", NamespaceInfo{Live: 8}, []LeaseInfo{lease(0, nil)}, nil, "8 live, 0 in quarantine, 0 free again, 2 can be had, of 10"},
		{"many", NamespaceInfo{Live: 8, Quarantined: 1}, []LeaseInfo{lease(0, nil)}, map[string]Level{"leased IDs": LevelWarn}, "80 %"},
		{"none left", NamespaceInfo{Live: 8, Quarantined: 2}, []LeaseInfo{lease(0, nil)}, map[string]Level{"leased IDs": LevelError}, "No ID can be had"},
		{"two layouts", NamespaceInfo{}, []LeaseInfo{lease(3, func(l *LeaseInfo) { l.Layout = "another" })}, map[string]Level{"layout": LevelError}, "Worker ID 3 was used under the layout another"},
		{"no control row", NamespaceInfo{Layout: "-"}, []LeaseInfo{lease(3, nil)}, map[string]Level{"layout": LevelWarn}, "WORKER_ID -1"},
		{"unreadable", NamespaceInfo{Layout: "x"}, nil, map[string]Level{"layout": LevelError}, "cannot be read"},
		{"renewed in the future", NamespaceInfo{}, []LeaseInfo{lease(0, nil), lease(3, func(l *LeaseInfo) { l.Renewed = now.Add(3 * time.Second) })},
			map[string]Level{"times of leases": LevelError}, "worker ID 3 was renewed 3s from now"},
		{"acquired in the future", NamespaceInfo{}, []LeaseInfo{lease(3, func(l *LeaseInfo) { l.Acquired = now.Add(3 * time.Second) })}, map[string]Level{"times of leases": LevelError}, ""},
		{"a little", NamespaceInfo{}, []LeaseInfo{lease(3, func(l *LeaseInfo) { l.Renewed = now.Add(time.Second) })}, nil, ""},
		{"endless", NamespaceInfo{}, []LeaseInfo{lease(3, func(l *LeaseInfo) { l.Until = now.AddDate(1, 0, 0) })}, map[string]Level{"times of leases": LevelWarn}, "8760h"},
		{"last tick", NamespaceInfo{}, []LeaseInfo{high(far, LeaseFree)}, nil, ""},
		{"reach of the namespace", NamespaceInfo{Reach: 101 * time.Second}, []LeaseInfo{high(far+1, LeaseFree)}, nil, ""},
		{"far tick", NamespaceInfo{}, []LeaseInfo{high(far+1, LeaseFree), lease(0, nil)}, map[string]Level{"last ticks of leases": LevelError}, "set LEASE_UNTIL of WORKER_ID 4 in LEASES"},
		{"far tick of a live lease", NamespaceInfo{}, []LeaseInfo{high(far+1, LeaseLive)}, map[string]Level{"last ticks of leases": LevelWarn}, "MaxLead"},
		{"used up", NamespaceInfo{Reach: math.MaxInt64}, []LeaseInfo{high(1_000_000, LeaseFree)}, map[string]Level{"last ticks of leases": LevelError}, "last tick is 1000000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &check{CheckConfig: CheckConfig{MaxAhead: 15 * time.Minute, Terms: func(text string) (uid.Terms, error) {
				if text != layout {
					return uid.Terms{}, fmt.Errorf("no layout")
				}
				return terms, nil
			}}, Registry: &Registry{leases: "LEASES"}}
			tt.ns.Namespace = "n"
			switch tt.ns.Layout {
			case "":
				tt.ns.Layout = layout
			case "-":
				tt.ns.Layout = ""
			}
			c.leasesSound(Overview{Now: now, HasLeases: true, Namespaces: []NamespaceInfo{tt.ns}, Leases: tt.leases})
			var all string
			for _, f := range c.findings {
				want, ok := tt.want[f.What]
				if !ok {
					want = LevelOK
				}
				checkFinding(t, f, want)
				require.True(t, strings.HasPrefix(f.Value, `namespace "n": `))
				delete(tt.want, f.What)
				all += fmt.Sprintln(f)
			}
			require.Empty(t, tt.want, "not found")
			require.Contains(t, all, tt.says)
		})
	}
}

func TestJudgeTable(t *testing.T) {
	node := func(change func(map[string]*tableColumn) []tableColumn) tableShape {
		s := tableShape{engine: "InnoDB"}
		columns := map[string]*tableColumn{}
		for _, c := range []tableColumn{
			{Name: "ID", Type: "bigint", Key: true, Generated: true, Filled: true},
			{Name: "HOST_NAME", Type: "varchar"}, {Name: "PORT", Type: "varchar"}, {Name: "TYPE", Type: "int"},
			{Name: "LAUNCH_DATE", Type: "date"}, {Name: "MODIFIED", Type: "timestamp"}, {Name: "CREATED", Type: "datetime"},
		} {
			c.Width.Int64, c.Width.Valid = 64, c.Type == "varchar"
			columns[c.Name] = &c
		}
		var extra []tableColumn
		if change != nil {
			extra = change(columns)
		}
		for _, name := range []string{"ID", "HOST_NAME", "PORT", "TYPE", "LAUNCH_DATE", "MODIFIED", "CREATED"} {
			if columns[name] != nil {
				s.columns = append(s.columns, *columns[name])
			}
		}
		s.columns = append(s.columns, extra...)
		return s
	}
	type columns = map[string]*tableColumn
	for name, tt := range map[string]struct {
		change func(columns) []tableColumn
		want   Level
		says   string
	}{
		"as it should be":      {nil, LevelOK, "InnoDB, 7 columns"},
		"no PORT":              {func(c columns) []tableColumn { delete(c, "PORT"); return nil }, LevelError, "no column PORT"},
		"narrow":               {func(c columns) []tableColumn { c["PORT"].Width.Int64 = 63; return nil }, LevelError, "column PORT holds 63"},
		"int":                  {func(c columns) []tableColumn { c["ID"].Type = "int"; return nil }, LevelOK, ""},
		"smallint key":         {func(c columns) []tableColumn { c["ID"].Type = "smallint"; return nil }, LevelError, "of type smallint"},
		"not generated":        {func(c columns) []tableColumn { c["ID"].Generated = false; return nil }, LevelError, "not AUTO_INCREMENT"},
		"no key":               {func(c columns) []tableColumn { c["ID"].Key = false; return nil }, LevelError, "primary key"},
		"text for a date":      {func(c columns) []tableColumn { c["LAUNCH_DATE"].Type = "varchar"; return nil }, LevelError, "LAUNCH_DATE"},
		"number for a text":    {func(c columns) []tableColumn { c["PORT"].Type = "int"; return nil }, LevelError, "PORT"},
		"text for a number":    {func(c columns) []tableColumn { c["TYPE"].Type = "varchar"; return nil }, LevelError, "TYPE"},
		"smallint":             {func(c columns) []tableColumn { c["TYPE"].Type = "smallint"; return nil }, LevelOK, ""},
		"further, to be given": {func(columns) []tableColumn { return []tableColumn{{Name: "MORE"}} }, LevelError, "further column MORE"},
		"further":              {func(columns) []tableColumn { return []tableColumn{{Name: "MORE", Filled: true}} }, LevelOK, "8 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			checkFinding(t, judgeTable("table", "WORKER_NODE", MySQL, node(tt.change), nodeColumns), tt.want, tt.says)
		})
	}
	for _, engine := range []string{"MyISAM", "Aria", "MEMORY", ""} {
		s := node(nil)
		s.engine = engine
		checkFinding(t, judgeTable("table", "WORKER_NODE", MySQL, s, nodeColumns), LevelError, "ENGINE = InnoDB")
	}
	// Affinities of SQLite hold anything.
	s := node(func(c columns) []tableColumn { c["ID"].Type, c["PORT"].Width.Int64 = "integer", 1; return nil })
	checkFinding(t, judgeTable("table", "WORKER_NODE", SQLite, s, nodeColumns), LevelOK, "7 columns")

	lease := tableShape{engine: "innodb"}
	for _, c := range leaseTableColumns {
		col := tableColumn{Name: c.name, Type: map[columnKind]string{signed: "bigint", text: "varchar"}[c.kind], Key: c.name == "NAMESPACE" || c.name == "WORKER_ID"}
		col.Width.Int64, col.Width.Valid = c.chars, c.kind == text
		lease.columns = append(lease.columns, col)
	}
	checkFinding(t, judgeTable("table", "WORKER_LEASE", MySQL, lease, leaseTableColumns), LevelOK)
	lease.columns[0].Collation.String = "utf8mb4_general_ci"
	checkFinding(t, judgeTable("table", "WORKER_LEASE", MySQL, lease, leaseTableColumns), LevelNote, "utf8mb4_general_ci")
	lease.columns[1].Key = false
	checkFinding(t, judgeTable("table", "WORKER_LEASE", MySQL, lease, leaseTableColumns[1:]), LevelError, "WORKER_ID is not in the primary key")
}

func TestJudgeSQLite(t *testing.T) {
	for mode, want := range map[string]Level{"delete": LevelOK, "wal": LevelNote, "truncate": LevelOK, "persist": LevelOK, "memory": LevelError, "off": LevelError} {
		checkFinding(t, judgeJournal(mode), want)
	}
	for _, tt := range []struct {
		level   int
		journal string
		want    Level
		says    string
	}{
		{3, "delete", LevelOK, "EXTRA"}, {2, "delete", LevelWarn, "FULL"}, {2, "wal", LevelOK, "FULL"}, {1, "wal", LevelError, "NORMAL"}, {0, "delete", LevelError, "OFF"}, {9, "wal", LevelOK, "9"},
	} {
		checkFinding(t, judgeSynchronous(tt.level, tt.journal), tt.want, tt.says)
	}
	checkFinding(t, judgeFileSystem(localDisk, true), LevelOK)
	checkFinding(t, judgeFileSystem(localDisk, false), LevelNote)
	checkFinding(t, judgeFileSystem(networkDisk, true), LevelError)
	checkFinding(t, judgeFileSystem(memoryDisk, true), LevelWarn)
	checkFinding(t, judgeLinks(1, true), LevelOK, "1")
	checkFinding(t, judgeLinks(2, true), LevelError, "2")
	checkFinding(t, judgeLinks(0, true), LevelError, "0")
	checkFinding(t, judgeLinks(0, false), LevelNote)
	for at, want := range map[filePlacing]Level{placeFound: LevelOK, placeMounted: LevelError, placeGone: LevelError, placeTaken: LevelError} {
		checkFinding(t, judgePlace(at), want)
	}
}
