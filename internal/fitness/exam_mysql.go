package fitness

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

func (e *exam) mysql(ctx context.Context) error {
	s, err := e.mysqlServer(ctx)
	if err != nil {
		return err
	}
	e.add(s.version(), s.isolation(), s.increment(e.hasNodes))
	if s.isTiDB() {
		return e.idCache(ctx)
	}
	e.add(s.losses()...)
	e.add(s.writable(), s.replica())
	if s.isGalera() {
		e.add(s.node()...)
	}
	return nil
}

// version judges whether the server forgets the AUTO_INCREMENT counter.
func (s *server) version() doctor.Finding {
	if s.isTiDB() {
		return doctor.Fine("server", "TiDB")
	}
	name, oldest := "MySQL ", 8_00_00
	if s.isMariaDB() {
		name, oldest = "MariaDB ", 10_02_04
	}
	number, _, _ := strings.Cut(s.vars["version"], "-")
	var major, minor, patch int
	_, _ = fmt.Sscanf(number, "%d.%d.%d", &major, &minor, &patch)
	return doctor.Fine("server", name+number).
		But(major*1_00_00+minor*1_00+patch < oldest, warn, "",
			"It forgets the AUTO_INCREMENT counter at a restart, and continues after the largest ID that is left.",
			"Never delete the newest row of disposable IDs, or take a newer server.")
}

func (s *server) isolation() doctor.Finding {
	level := s.vars.first("transaction_isolation", "tx_isolation")
	return isolation(level).
		But(level == "READ-COMMITTED" && s.vars.on("log_bin") && s.vars["binlog_format"] == "STATEMENT", bad,
			level+", binlog_format=STATEMENT", "InnoDB refuses every write at this isolation with this format of the "+
				"binary log.", "Set binlog_format to ROW or MIXED.").
		But(level == "READ-UNCOMMITTED", warn, "", "Reports such as this one show writes that are not committed.",
			"Set the isolation to REPEATABLE-READ or READ-COMMITTED.")
}

// increment judges how many disposable IDs a start takes.
func (s *server) increment(disposable bool) doctor.Finding {
	step := s.vars["auto_increment_increment"]
	steps, _ := strconv.Atoi(step)
	wastes := note
	if disposable {
		wastes = warn
	}
	return doctor.Fine("auto_increment_increment", step+", offset "+s.vars["auto_increment_offset"]).
		But(steps > 1, wastes, "", "Each start of a disposable worker uses up "+step+" IDs. Leases do not use the "+
			"counter.", "Set it to 1 where no other writable server needs IDs of its own, or take leased IDs.")
}

// readOnly names the setting that forbids writes; "" if there is none.
func (s *server) readOnly() (name string) {
	for _, prefix := range []string{"tx_", "transaction_", "innodb_", "", "super_"} {
		// MariaDB 12 has more kinds of read_only than ON.
		if v := strings.ToUpper(s.vars[prefix+"read_only"]); v != "" && v != "OFF" && v != "0" {
			name = prefix + "read_only"
		}
	}
	return name
}

func (s *server) writable() doctor.Finding {
	if s.readOnly() == "" {
		return writable("")
	}
	return writable(s.readOnly() + " is on")
}

// replica judges whether the server follows another one.
func (s *server) replica() doctor.Finding {
	const onlyPrimary = "Connect workers to the primary only; set read_only here; after a failover RESET REPLICA ALL."
	return doctor.Fine("replica", "no").
		But(!s.told, note, "could not be told", "A replica that accepts writes diverges from its primary, and both "+
			"give out the same IDs.", "Check with an account that has REPLICATION CLIENT (MariaDB from 10.5: REPLICA "+
			"MONITOR), or make sure yourself.").
		But(s.follower && s.readOnly() != "", bad, "yes, read-only", "It may lack the newest writes.",
			"Connect workers to the primary.").
		But(s.follower && !s.running, warn, "set up, but stopped; writable", "It was a replica. If it is not the "+
			"primary now, two servers accept writes, and give out the same IDs and ticks.", onlyPrimary).
		But(s.follower, bad, "yes, and writable",
			"Two servers that accept writes diverge, and give out the same IDs and ticks.", onlyPrimary)
}

// idCache judges how a table of TiDB's gives out IDs.
func (e *exam) idCache(ctx context.Context) error {
	if !e.hasNodes {
		return nil
	}
	var name, create string
	if err := e.conn.QueryRowxContext(ctx, "SHOW CREATE TABLE `"+e.Nodes+"`").Scan(&name, &create); err != nil {
		return e.unknown("AUTO_ID_CACHE", database.Failed("read the definition of table "+e.Nodes, err))
	}
	e.add(idCache(create, e.Nodes))
	return nil
}

func idCache(create, table string) doctor.Finding {
	return doctor.Fine("AUTO_ID_CACHE", "1").
		But(!strings.Contains(create+" ", "AUTO_ID_CACHE=1 "), warn, "not 1", "Each TiDB server takes IDs in batches, "+
			"of 30,000 by default, and loses the rest of a batch when it restarts: IDs are used up fast, and do not "+
			"ascend.", "Create table "+table+" anew with AUTO_ID_CACHE 1 and a counter above the largest ID: ALTER "+
			"TABLE cannot change it to 1.")
}

// node judges a node of a Galera cluster. It does not tell through how many nodes workers write, only how often
// transactions of two nodes have conflicted.
func (s *server) node() []doctor.Finding {
	const garbd = "Run three nodes, or two and an arbitrator (garbd)."
	component, ready := s.status["wsrep_cluster_status"], s.status["wsrep_ready"]
	state, size := s.status["wsrep_local_state_comment"], s.status["wsrep_cluster_size"]
	wait, fragment := s.vars["wsrep_sync_wait"], cmp.Or(s.vars["wsrep_trx_fragment_size"], "0")
	nodes, unknown := strconv.Atoi(size)
	waits, _ := strconv.Atoi(wait)
	count := func(name string) string { return cmp.Or(s.status[name], "0") }
	return []doctor.Finding{
		doctor.Fine("wsrep_cluster_status", component+", wsrep_ready "+ready).
			But(component != "Primary" || ready != "ON", bad, "", "The node is not in the primary component, the "+
				"majority of the cluster: it refuses statements of workers, and its rows are old.",
				"Connect workers to a node of the primary component, and find out why this one is cut off. "+
					"Never set wsrep_dirty_reads for workers, nor pc.bootstrap in two parts of a cluster."),
		doctor.Fine("wsrep_local_state_comment", state).
			But(state != "Synced", warn, "", "The node lags behind the others, or is a donor: workers wait for it, "+
				"and lose races for IDs.", "Connect workers to a node that is Synced."),
		doctor.Fine("wsrep_cluster_size", size).
			But(nodes == 1, warn, "", "No other node has the newest commits: they are lost with its disk.", garbd).
			But(unknown == nil && nodes < 3, warn, "", "There is no majority once a node crashes: "+
				"the rest stops until somebody makes it the primary component by hand.", garbd),
		{Level: note, What: "certification",
			Value: count("wsrep_local_cert_failures") + " commits of this node failed it, " +
				count("wsrep_local_bf_aborts") + " of its transactions were ended for another node's",
			Why: severalWrite, Do: oneWriter},
		doctor.Fine("wsrep_sync_wait", wait).
			But(wait != "" && waits&1 == 0, note, wait+" (of this session)", "Reports such as this one may lag "+
				"behind. Workers wait for the newest rows by themselves.", "Nothing; or set it to 1."),
		doctor.Fine("wsrep_trx_fragment_size", fragment).
			But(fragment != "0", warn, "", "Transactions are replicated in parts before they commit, and lock their "+
				"rows on all nodes: one that is cut off keeps others from their leases until it is rolled back.",
				"Set it to 0 for the sessions of workers."),
	}
}
