package fitness

import (
	"cmp"
	"strconv"
)

// galeraRows judge a node of a Galera cluster. What the nodes hold in memory only is lost when
// all of them crash, and a commit that one node has acknowledged while it was cut off when it
// comes back: so nobody may take it for durable. There is no telling through how many nodes workers write,
// only how often transactions of two nodes have met.
func (s *server) galeraRows() []row {
	component, ready := s.status["wsrep_cluster_status"], s.status["wsrep_ready"]
	state, size := s.status["wsrep_local_state_comment"], s.status["wsrep_cluster_size"]
	wait, fragment := s.vars["wsrep_sync_wait"], cmp.Or(s.vars["wsrep_trx_fragment_size"], "0")
	nodes, sized := strconv.Atoi(size)
	waits, _ := strconv.Atoi(wait)
	const garbd = "Run three nodes, or two and an arbitrator (garbd)."
	return []row{
		{component != "Primary" || ready != "ON", bad, "wsrep_cluster_status", component + ", wsrep_ready " + ready,
			"The node is not in the primary component, the majority of the cluster: " +
				"it refuses what workers ask, and what it shows is of yesterday.",
			"Connect workers to a node of the primary component, and look why this one is cut off. " +
				"Never set wsrep_dirty_reads for workers, nor pc.bootstrap in two parts of a cluster."},
		fine("wsrep_cluster_status", component+", wsrep_ready "+ready),
		{state != "Synced", warn, "wsrep_local_state_comment", state,
			"The node lags behind the others, or gives its data to one of them: " +
				"workers wait for it, and lose races for IDs.",
			"Connect workers to a node that is Synced."},
		fine("wsrep_local_state_comment", state),
		{nodes == 1, warn, "wsrep_cluster_size", size, "No other node has the newest commits: they are lost with " +
			"this one's disk, and the others, if there are any, are not in step.", garbd},
		{sized == nil && nodes < 3, warn, "wsrep_cluster_size", size, "There is no majority once a node crashes: " +
			"the rest stops until somebody makes it the primary component by hand.", garbd},
		fine("wsrep_cluster_size", size),
		{true, note, "certification",
			cmp.Or(s.status["wsrep_local_cert_failures"], "0") + " commits of this node failed it, " +
				cmp.Or(s.status["wsrep_local_bf_aborts"], "0") + " of its transactions were ended for another node's",
			"Row locks hold within one node only. Of two nodes' transactions that change one row, one " +
				"fails at its commit and is tried again: through several nodes acquisitions meet more often.",
			"Let all workers write through one node while it lives. Where the cluster sets auto_increment_increment, " +
				"each start uses up that many disposable IDs."},
		{true, takeover, "Galera's durability", "can lose commits",
			"wsrep_on is ON, and a node of a Galera cluster acknowledges a commit before others have stored it: " +
				"when nodes crash together, or a cluster is bootstrapped from a node that lags, " +
				"the newest are lost" + lossWhy,
			"Take leased IDs, with Losses as it is. Bootstrap from the node with the largest seqno (grastate.dat, " +
				"wsrep_recover) only. After nodes crashed together, " +
				"set the AUTO_INCREMENT counter above the largest ID that was ever given."},
		{wait != "" && waits&1 == 0, note, "wsrep_sync_wait", wait + " (of this session)",
			"A read may show what was true on this node a moment ago. Workers wait for the newest by themselves; " +
				"reports such as this one may lag.", "Nothing; or set it to 1."},
		fine("wsrep_sync_wait", wait),
		{fragment != "0", warn, "wsrep_trx_fragment_size", fragment,
			"Transactions are replicated in parts before they commit, and lock their rows on all nodes " +
				"meanwhile: one that is cut off keeps others from their leases until it is rolled back everywhere.",
			"Set it to 0 for the sessions of workers."},
		fine("wsrep_trx_fragment_size", fragment),
	}
}
