package fitness

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
)

// A source is the server that a server of MySQL or MariaDB follows.
type source struct {
	told     bool
	follower bool // it is set up to follow another one
	running  bool // and does so now
}

// follows asks whether the server follows another one. It stays unknown to an account without a right to it.
func (s *server) follows(ctx context.Context, conn *sqlx.Conn, all bool) (source, error) {
	running := s.status["slaves_running"] != "" && s.status["slaves_running"] != "0" // MariaDB shows that to all
	queries := []string{"SHOW REPLICA STATUS", "SHOW SLAVE STATUS"}
	if s.isMariaDB() {
		if queries = []string{"SHOW ALL SLAVES STATUS"}; !all {
			return source{running: running}, nil
		}
	}
	rows, err := firstOf(ctx, conn, queries...)
	if database.KindOf(err) == database.Transient {
		return source{}, err
	}
	follows := source{told: err == nil || running, follower: len(rows) > 0 || running, running: running}
	for _, row := range rows {
		for _, thread := range []string{"Replica_IO", "Slave_IO", "Replica_SQL", "Slave_SQL"} {
			if v, is := row[thread+"_Running"].([]byte); is && string(v) != "No" {
				follows.running = true
			}
		}
	}
	return follows, nil
}

// firstOf returns the rows of the first of the queries that the server answers.
func firstOf(ctx context.Context, conn *sqlx.Conn, queries ...string) (all []map[string]any, err error) {
	for _, query := range queries {
		var rows *sqlx.Rows
		if rows, err = conn.QueryxContext(ctx, query); err != nil {
			continue
		}
		for err == nil && rows.Next() {
			row := map[string]any{}
			err = rows.MapScan(row)
			all = append(all, row)
		}
		if err == nil {
			err = rows.Err()
		}
		_ = rows.Close()
		break
	}
	return all, database.Failed("ask for replication", err)
}

// replicas are those of any kind that are connected to a server.
type replicas struct {
	counted   bool // what an account without a right to it cannot
	connected int64
	semiSync  bool
	lacking   string // why one of them can lack a commit that was acknowledged
}

func connectedReplicas(ctx context.Context, conn *sqlx.Conn, vars, status settings) (r replicas, err error) {
	// MariaDB counts all; MySQL's status knows of those that are semi-synchronous only.
	n, unknown := strconv.ParseInt(status["slaves_connected"], 10, 64)
	if r.counted = unknown == nil || !vars.on("log_bin"); !r.counted {
		all, err := firstOf(ctx, conn, "SHOW REPLICAS", "SHOW SLAVE HOSTS")
		if database.KindOf(err) == database.Transient {
			return r, err
		}
		if n, r.counted = int64(len(all)), err == nil; !r.counted {
			clients := status.first("rpl_semi_sync_source_clients", "rpl_semi_sync_master_clients")
			n, _ = strconv.ParseInt(clients, 10, 64)
			r.counted = n > 0
		}
	}
	r.connected, r.semiSync = n, status.on("rpl_semi_sync_master_status", "rpl_semi_sync_source_status")
	r.lacking = r.lacks(vars)
	return r, nil
}

// lacks says why one of the replicas can lack a commit that was acknowledged; "" if none can.
func (r replicas) lacks(vars settings) string {
	if r.connected > 0 && !r.semiSync {
		return fmt.Sprintf("%d replicas are connected without semi-synchronous replication: "+
			"one of them lacks the newest commits when it takes over", r.connected)
	}
	waits, by := int64(1), "one replica's confirmation, as MariaDB does"
	for _, name := range []string{
		"rpl_semi_sync_master_wait_for_slave_count", "rpl_semi_sync_source_wait_for_replica_count",
	} {
		if n, err := strconv.ParseInt(vars[name], 10, 64); err == nil {
			waits, by = n, fmt.Sprintf("%d (%s)", n, name)
		}
	}
	if r.connected <= waits {
		return ""
	}
	return fmt.Sprintf("%d replicas are connected, and a commit waits for %s: "+
		"another one lacks the newest commits when it takes over", r.connected, by)
}
