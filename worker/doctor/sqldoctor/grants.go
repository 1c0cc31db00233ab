package sqldoctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

// A grantScope says where a right holds, as seen from the workers' tables.
type grantScope int

const (
	elsewhere  grantScope = iota // another database or table, a procedure
	onTable                      // one of the workers' tables
	onDatabase                   // the database that they are in
	onServer                     // all databases
)

func (s grantScope) String() string {
	return [...]string{"elsewhere", "on the table", "on the whole database", "on all databases"}[s]
}

// A grant is a line of SHOW GRANTS, without the account. It keeps no name but that of a workers'
// table.
type grant struct {
	scope  grantScope
	table  string // of scope onTable
	rights []string
	role   bool // it gives a role instead
}

// workerRights are the rights that a worker's account may need on its tables.
var workerRights = []string{"SELECT", "INSERT", "UPDATE", "CREATE"}

// reportRights let an account see more of the server, and do nothing else.
var reportRights = []string{"REPLICATION CLIENT", "BINLOG MONITOR", "SLAVE MONITOR", "REPLICA MONITOR", "REPLICATION SLAVE", "REPLICATION REPLICA", "PROCESS"}

// aboveReadOnly are the rights of accounts that may write to a read-only server.
var aboveReadOnly = []string{"SUPER", "READ_ONLY ADMIN", "READ ONLY ADMIN", "CONNECTION_ADMIN", "ALL PRIVILEGES"}

// mysqlGrants examines the rights of this account.
func (e *exam) mysqlGrants(ctx context.Context) error {
	const what = "grants"
	var current string
	if err := e.conn.GetContext(ctx, &current, "SELECT COALESCE(DATABASE(), '')"); err != nil {
		return e.noteUnknown(what, database.Failed("ask for the database", err))
	}
	var lines []string
	if err := e.conn.SelectContext(ctx, &lines, "SHOW GRANTS"); err != nil {
		return e.noteUnknown(what, database.Failed("ask for the account's rights", err))
	}
	var grants []grant
	for _, line := range lines {
		if g, ok := parseGrant(line, current, e.nodes, e.leases); ok {
			grants = append(grants, g)
		}
	}
	needs := map[string][]string{}
	if e.hasNodes {
		needs[e.nodes] = []string{"SELECT", "INSERT"}
	}
	if e.hasLease {
		needs[e.leases] = []string{"SELECT", "INSERT", "UPDATE"}
	}
	if len(needs) == 0 {
		needs[e.nodes] = []string{"CREATE", "SELECT", "INSERT"}
		needs[e.leases] = []string{"CREATE", "SELECT", "INSERT", "UPDATE"}
	}
	f := judgeGrants(grants, needs)
	if f.Level == doctor.LevelError && !e.hasNodes && !e.hasLease {
		f.Level = doctor.LevelWarn // it is unknown which of them will be used
	}
	e.add(f)
	return nil
}

// parseGrant reads a line of SHOW GRANTS. ok is false for a line that grants nothing.
func parseGrant(line, database string, tables ...string) (g grant, ok bool) {
	rest, ok := strings.CutPrefix(line, "GRANT ")
	if !ok {
		return g, false
	}
	rights, rest, ok := cutUnquoted(rest, " ON ")
	if !ok {
		return grant{role: true}, true
	}
	where, rest, ok := cutUnquoted(rest, " TO ")
	if !ok {
		return g, false
	}
	for more := true; more; {
		var right string
		right, rights, more = cutUnquoted(rights, ",")
		right, _, _ = cutUnquoted(right, "(") // a right to some columns
		if right = strings.ToUpper(strings.TrimSpace(right)); right != "" && right != "USAGE" {
			g.rights = append(g.rights, right)
		}
	}
	if strings.HasSuffix(rest, " WITH GRANT OPTION") {
		g.rights = append(g.rights, "GRANT OPTION")
	}
	g.scope, g.table = scopeOf(where, database, tables)
	return g, len(g.rights) > 0
}

func scopeOf(where, database string, tables []string) (grantScope, string) {
	db, table, ok := cutUnquoted(where, ".")
	switch {
	case !ok || strings.ContainsRune(unquoted(where), ' ') || strings.ContainsRune(unquoted(where), '@'):
		return elsewhere, "" // a procedure, a proxy user
	case db == "*" && table == "*":
		return onServer, ""
	case table == "*" && likeName(strings.ToLower(unquote(db)), strings.ToLower(database)):
		return onDatabase, ""
	case table == "*" || !strings.EqualFold(unquote(db), database):
		return elsewhere, ""
	}
	for _, name := range tables {
		if strings.EqualFold(unquote(table), name) {
			return onTable, name
		}
	}
	return elsewhere, ""
}

// cutUnquoted is strings.Cut at the first separator outside of quotes and brackets.
func cutUnquoted(s, sep string) (before, after string, found bool) {
	var quote byte
	depth := 0
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case quote != 0:
			if ch == quote {
				quote = 0 // a doubled one begins again at once
			}
		case depth == 0 && strings.HasPrefix(s[i:], sep):
			return s[:i], s[i+len(sep):], true
		case ch == '`' || ch == '"' || ch == '\'':
			quote = ch
		case ch == '(':
			depth++
		case ch == ')':
			depth--
		}
	}
	return s, "", false
}

// unquoted returns s without its quoted parts.
func unquoted(s string) string {
	var b strings.Builder
	var quote rune
	for _, ch := range s {
		switch {
		case quote != 0:
			if ch == quote {
				quote = 0
			}
		case ch == '`' || ch == '"' || ch == '\'':
			quote = ch
		default:
			b.WriteRune(ch)
		}
	}
	return b.String()
}

// unquote returns a name without its quotes.
func unquote(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '`' && s[0] != '"' {
		return s
	}
	q := s[:1]
	return strings.ReplaceAll(s[1:len(s)-1], q+q, q)
}

// likeName reports whether a database's name matches the pattern of a grant.
func likeName(pattern, name string) bool {
	if pattern == "" {
		return name == ""
	}
	switch ch := pattern[0]; {
	case ch == '%':
		return likeName(pattern[1:], name) || name != "" && likeName(pattern, name[1:])
	case name == "":
		return false
	case ch == '_':
		return likeName(pattern[1:], name[1:])
	case ch == '\\' && len(pattern) > 1:
		return pattern[1] == name[0] && likeName(pattern[2:], name[1:])
	default:
		return ch == name[0] && likeName(pattern[1:], name[1:])
	}
}

// covers reports whether the grant gives the right on the table.
func (g grant) covers(table, right string) bool {
	if g.scope == elsewhere || g.scope == onTable && g.table != table {
		return false
	}
	return slices.Contains(g.rights, right) || slices.Contains(g.rights, "ALL PRIVILEGES") || slices.Contains(g.rights, "ALL")
}

// judgeGrants compares what the account has with what each table needs.
func judgeGrants(grants []grant, needs map[string][]string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "grants", Value: grantsText(grants)}
	const statements = "The documentation of package sqlstore has the statements."
	hasRole := slices.ContainsFunc(grants, func(g grant) bool { return g.role })
	var lacks []string
	for table, rights := range needs {
		for _, right := range rights {
			if !slices.ContainsFunc(grants, func(g grant) bool { return g.covers(table, right) }) {
				lacks = append(lacks, right+" on "+table)
			}
		}
	}
	slices.Sort(lacks)
	if len(lacks) > 0 {
		f.Level, f.Why = doctor.LevelError, "Workers need what this account lacks: "+strings.Join(lacks, ", ")+"."
		f.Do = "Grant it. " + statements
		if hasRole {
			f.Level, f.Why = doctor.LevelNote, "Rights that come through a role are not looked at. Without it this account lacks "+strings.Join(lacks, ", ")+"."
		}
		return f
	}
	extra := map[string]bool{}
	wide := doctor.LevelOK
	for _, g := range grants {
		if g.scope == elsewhere {
			continue
		}
		for _, right := range g.rights {
			switch {
			case g.scope == onServer && slices.Contains(reportRights, right):
			case !slices.Contains(workerRights, right):
				extra[right] = true
				wide = doctor.LevelWarn
			case g.scope == onServer:
				wide = doctor.LevelWarn
			case g.scope == onDatabase && wide == doctor.LevelOK:
				wide = doctor.LevelNote
			}
		}
	}
	if wide == doctor.LevelOK {
		return f
	}
	f.Level, f.Do = wide, "Give workers an account of their own, with "+needsText(needs)+" and nothing else. "+statements
	f.Why = "Wider than workers need: who gets hold of this account can read or change other tables."
	if len(extra) > 0 {
		f.Why = "Wider than workers need. A row that is deleted or dropped by mistake makes IDs come again."
	}
	for _, right := range aboveReadOnly {
		if extra[right] && slices.ContainsFunc(grants, func(g grant) bool { return g.scope == onServer && slices.Contains(g.rights, right) }) {
			f.Why = "Wider than workers need. " + right + " on all databases even writes to a read-only replica, which then hands out IDs that the primary hands out, too."
			break
		}
	}
	return f
}

// grantsText lists the rights that matter, by scope. It holds no names but those of rights and of
// workers' tables.
func grantsText(grants []grant) string {
	const most = 6
	var parts []string
	for _, g := range grants {
		if g.scope == elsewhere {
			continue
		}
		where := g.scope.String()
		if g.scope == onTable {
			where = "on " + g.table
		}
		rights := g.rights
		text := strings.Join(rights[:min(most, len(rights))], ", ")
		if n := len(rights) - most; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, text+" "+where)
	}
	if slices.ContainsFunc(grants, func(g grant) bool { return g.role }) {
		parts = append(parts, "a role")
	}
	if slices.ContainsFunc(grants, func(g grant) bool { return !g.role && g.scope == elsewhere }) {
		parts = append(parts, "others elsewhere")
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}

func needsText(needs map[string][]string) string {
	var parts []string
	for table, rights := range needs {
		parts = append(parts, strings.Join(rights, ", ")+" on "+table)
	}
	slices.Sort(parts)
	return strings.Join(parts, " and ")
}
