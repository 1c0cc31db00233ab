package fitness

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
)

// A right is one that was granted to the account itself. It holds no name but that of a workers' table.
type right struct {
	name      string
	grantable bool
	where     string // "on TABLE", or one of these
}

const (
	onDatabase = "on the whole database"
	onServer   = "on all databases"
	elsewhere  = "elsewhere" // on another database or table
)

// reportRights only let an account see more of the server.
var reportRights = []string{"REPLICATION CLIENT", "BINLOG MONITOR", "SLAVE MONITOR", "REPLICA MONITOR",
	"REPLICATION SLAVE", "REPLICATION REPLICA", "PROCESS", "USAGE"}

// aboveReadOnly are the rights by which an account may write to a read-only server.
var aboveReadOnly = []string{"SUPER", "READ_ONLY ADMIN", "READ ONLY ADMIN", "CONNECTION_ADMIN"}

// granted asks for the rights of the account, which MySQL's own tables name 'user'@'host'.
func (e *exam) granted(ctx context.Context) ([]right, error) {
	const host = "SUBSTRING_INDEX(CURRENT_USER(), '@', -1)"
	const user = "LEFT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER()) - CHAR_LENGTH(" + host + ") - 1)"
	query := e.query("grants", "{me}", "CONCAT(QUOTE("+user+"), '@', QUOTE("+host+"))",
		"{where}", "IF(TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ('{nodes}', '{leases}'), "+
			"CONCAT('on ', TABLE_NAME), 'elsewhere')")
	query = strings.NewReplacer("{nodes}", e.Nodes, "{leases}", e.Leases).Replace(query)
	fields := func(r *right) []any { return []any{&r.name, &r.grantable, &r.where} }
	has, err := database.SelectRows(ctx, e.conn, fields, query)
	return has, database.Failed("ask for the account's rights", err)
}

// A need is a right that workers need on a table, and a column that they use it on.
type need struct{ right, table, column string }

// rights tries the rights that workers need, which the account may have by a role, and judges which more it has.
func (e *exam) rights(ctx context.Context) error {
	has, err := e.granted(ctx)
	if err != nil {
		return e.unknown("grants", err)
	}
	var roles int
	if e.dialect == database.MySQL {
		// MySQL 5.7 has none.
		err := e.conn.GetContext(ctx, &roles, "SELECT COUNT(*) FROM information_schema.APPLICABLE_ROLES")
		if err = database.Failed("ask for roles", err); retry.IsTransient(err) {
			return err
		}
	}
	var needs []need
	if e.hasNodes || !e.hasLease {
		needs = append(needs, need{"SELECT", e.Nodes, "HOST_NAME"}, need{"INSERT", e.Nodes, "HOST_NAME"})
	}
	if e.hasLease || !e.hasNodes {
		needs = append(needs, need{"SELECT", e.Leases, "HOLDER"}, need{"INSERT", e.Leases, "HOLDER"},
			need{"UPDATE", e.Leases, "HOLDER"})
	}
	var lacks []string
	for _, n := range needs {
		if lacking, err := e.lacks(ctx, n); err != nil {
			return err
		} else if lacking {
			lacks = append(lacks, n.right+" on "+n.table)
		}
	}
	none := !e.hasNodes && !e.hasLease
	creates := slices.ContainsFunc(has, func(r right) bool { return r.name == "CREATE" && r.where != elsewhere })
	if none && e.dialect == database.MySQL && !creates && roles == 0 {
		lacks = append(lacks, "CREATE on "+e.Nodes, "CREATE on "+e.Leases)
	}
	e.add(judgeRights(has, needs, lacks, roles > 0, none))
	return nil
}

// lacks tries a right: a statement that is only explained needs the same rights, and does nothing.
func (e *exam) lacks(ctx context.Context, n need) (bool, error) {
	rows, err := e.conn.QueryContext(ctx, e.dialect.SQL("EXPLAIN "+map[string]string{
		"SELECT": "SELECT " + n.column + " FROM `" + n.table + "`",
		"INSERT": "INSERT INTO `" + n.table + "` (" + n.column + ") VALUES ('')",
		"UPDATE": "UPDATE `" + n.table + "` SET " + n.column + " = '' WHERE 1 = 0",
	}[n.right]))
	if err == nil {
		err = rows.Close()
	}
	if failed := database.Failed("try a right", err); retry.IsTransient(failed) {
		return false, failed
	}
	return database.IsDenied(err), nil
}

// judgeRights compares the account's rights with what workers need; none: there are no tables yet.
func judgeRights(has []right, needs []need, lacks []string, role, none bool) doctor.Finding {
	const wider = "Wider than workers need"
	const statements = "The documentation of package sqlstore has the statements."
	wide, more, above := ok, false, ""
	for _, r := range has {
		switch {
		case r.where == elsewhere || r.where == onServer && slices.Contains(reportRights, r.name) && !r.grantable:
		case r.grantable || !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "CREATE"}, r.name):
			more = true
			if r.where == onServer && slices.Contains(aboveReadOnly, r.name) {
				above = r.name
			}
		case r.where == onServer:
			wide = warn
		case r.where == onDatabase && wide == ok:
			wide = note
		}
	}
	lacking := bad
	if none {
		lacking = warn // nobody knows which tables will be used
	}
	var needed []right
	for _, n := range needs {
		needed = append(needed, right{name: n.right, where: "on " + n.table})
	}
	value := rightsText(has)
	if role {
		value += "; a role"
	}
	do := "Give workers an account of their own that does not own the tables, with " + rightsText(needed) +
		" and nothing else. " + statements
	return doctor.Fine("grants", value).
		But(len(lacks) > 0, lacking, "", "Workers need what this account lacks: "+strings.Join(lacks, ", ")+".",
			"Grant it. "+statements).
		But(above != "", warn, "", wider+". "+above+" on all databases even writes to a read-only replica, "+
			"which then gives out the same IDs as the primary.", do).
		But(more, warn, "", wider+". A row that is deleted or dropped by mistake makes IDs come again.", do).
		But(wide != ok, wide, "", wider+": with this account one can read or change other tables.", do)
}

// rightsText lists rights, by where they hold. It has no names but those of rights and of workers' tables.
func rightsText(rights []right) string {
	const most = 6
	var parts []string
	seen := map[string]bool{}
	for _, first := range rights {
		if first.name == "USAGE" || seen[first.where] {
			continue
		}
		seen[first.where] = true
		var names []string
		for _, r := range rights {
			if r.where == first.where && r.name != "USAGE" && !slices.Contains(names, r.name) {
				names = append(names, r.name)
			}
		}
		text := strings.Join(names[:min(most, len(names))], ", ")
		if n := len(names) - most; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		if first.where == elsewhere {
			text = "others"
		}
		parts = append(parts, text+" "+first.where)
	}
	return cmp.Or(strings.Join(parts, "; "), "none")
}
