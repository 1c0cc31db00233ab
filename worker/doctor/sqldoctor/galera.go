package sqldoctor

import (
	"fmt"
	"strconv"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

// isGalera reports whether the server is a node of a Galera cluster, connected or not.
func isGalera(vars database.Settings) bool { return vars.On("wsrep_on") }

// judgeGalera judges a node of a Galera cluster. What the nodes hold in memory only is lost when
// all of them crash, and a commit that one node has acknowledged while it was cut off when it
// comes back: so nobody may take it for durable.
func judgeGalera(vars, status database.Settings, durable, disposable bool) []doctor.Finding {
	return []doctor.Finding{
		judgeComponent(status), judgeNodeState(status), judgeClusterSize(status), judgeWriters(status), judgeClusterLoss(durable, disposable),
		judgeSyncWait(vars), judgeFragments(vars),
	}
}

func judgeComponent(status database.Settings) doctor.Finding {
	component, ready := status["wsrep_cluster_status"], status["wsrep_ready"]
	f := doctor.Finding{Level: doctor.LevelOK, What: "wsrep_cluster_status", Value: fmt.Sprintf("%s, wsrep_ready %s", component, ready)}
	if component != "Primary" || ready != "ON" {
		f.Level = doctor.LevelError
		f.Why = "The node is not in the primary component, the majority of the cluster: it refuses what workers ask, and what it shows is of yesterday."
		f.Do = "Connect workers to a node of the primary component, and look why this one is cut off. Never set wsrep_dirty_reads for workers, nor pc.bootstrap in two parts of a cluster."
	}
	return f
}

func judgeNodeState(status database.Settings) doctor.Finding {
	state := status["wsrep_local_state_comment"]
	f := doctor.Finding{Level: doctor.LevelOK, What: "wsrep_local_state_comment", Value: state}
	if state != "Synced" {
		f.Level = doctor.LevelWarn
		f.Why = "The node lags behind the others, or gives its data to one of them: workers wait for it, and lose races for IDs."
		f.Do = "Connect workers to a node that is Synced."
	}
	return f
}

func judgeClusterSize(status database.Settings) doctor.Finding {
	size := status["wsrep_cluster_size"]
	f := doctor.Finding{Level: doctor.LevelOK, What: "wsrep_cluster_size", Value: size}
	if n, err := strconv.Atoi(size); err == nil && n < 3 {
		f.Level = doctor.LevelWarn
		f.Why = "There is no majority once a node crashes: the rest stops until somebody makes it the primary component by hand."
		f.Do = "Run three nodes, or two and an arbitrator (garbd)."
		if n == 1 {
			f.Why = "No other node has the newest commits: they are lost with this one's disk, and the others, if there are any, are not in step."
		}
	}
	return f
}

// judgeWriters tells how often transactions of two nodes have met. There is no telling through how
// many nodes workers write.
func judgeWriters(status database.Settings) doctor.Finding {
	return finding(doctor.LevelNote, "certification", fmt.Sprintf("%s commits of this node failed it, %s of its transactions were ended for another node's",
		orNone(status["wsrep_local_cert_failures"]), orNone(status["wsrep_local_bf_aborts"])),
		"Row locks hold within one node only. Of two nodes' transactions that change one row, one fails at its commit and is tried again: through several nodes acquisitions meet more often.",
		"Let all workers write through one node while it lives. Where the cluster sets auto_increment_increment, each start uses up that many disposable IDs.")
}

func orNone(n string) string {
	if n == "" {
		return "0"
	}
	return n
}

func judgeClusterLoss(durable, disposable bool) doctor.Finding {
	f := finding(doctor.LevelNote, "Galera's durability", "can lose commits",
		"A node acknowledges a commit before others have stored it: when nodes crash together, or a cluster is bootstrapped from a node that lags, the newest are lost. "+lossWhy,
		"Never set Losses to Never. Bootstrap from the node with the largest seqno (grastate.dat, wsrep_recover) only.")
	if disposable {
		f.Level = doctor.LevelWarn
		f.Do = "Take leased IDs, with Losses as it is. After nodes crashed together, set the AUTO_INCREMENT counter above the largest ID that was ever given."
	}
	if durable {
		f.Level = doctor.LevelError
		f.Do = "Take leased IDs, with Losses as it is. Bootstrap from the node with the largest seqno (grastate.dat, wsrep_recover) only."
	}
	return f
}

// judgeSyncWait judges how fresh this session's reads are.
func judgeSyncWait(vars database.Settings) doctor.Finding {
	v := vars["wsrep_sync_wait"]
	f := doctor.Finding{Level: doctor.LevelOK, What: "wsrep_sync_wait", Value: v}
	if n, err := strconv.Atoi(v); err == nil && n&1 == 0 {
		f.Value += " (of this session)"
		f.Level = doctor.LevelNote
		f.Why = "A read may show what was true on this node a moment ago. Workers wait for the newest by themselves; reports such as this one may lag."
		f.Do = "Nothing; or set it to 1."
	}
	return f
}

func judgeFragments(vars database.Settings) doctor.Finding {
	v := vars["wsrep_trx_fragment_size"]
	f := doctor.Finding{Level: doctor.LevelOK, What: "wsrep_trx_fragment_size", Value: orNone(v)}
	if v != "" && v != "0" {
		f.Level = doctor.LevelWarn
		f.Why = "Transactions are replicated in parts before they commit, and lock their rows on all nodes meanwhile: one that is cut off keeps others from their leases until it is rolled back everywhere."
		f.Do = "Set it to 0 for the sessions of workers."
	}
	return f
}
