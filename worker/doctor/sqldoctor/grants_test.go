package sqldoctor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid/worker/doctor"
)

func TestParseGrant(t *testing.T) {
	const to = " TO `hunter2`@`%`"
	for line, want := range map[string]grant{
		"GRANT SELECT ON *.*" + to: {scope: onServer, rights: []string{"SELECT"}},
		"GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION":           {scope: onServer, rights: []string{"ALL PRIVILEGES", "GRANT OPTION"}},
		"GRANT SELECT, INSERT ON `app`.*" + to:                                          {scope: onDatabase, rights: []string{"SELECT", "INSERT"}},
		"GRANT SELECT, INSERT ON `a%`.*" + to:                                           {scope: onDatabase, rights: []string{"SELECT", "INSERT"}},
		"GRANT SELECT ON `a\\_p`.*" + to:                                                {rights: []string{"SELECT"}},
		"GRANT SELECT ON `other`.*" + to:                                                {rights: []string{"SELECT"}},
		"GRANT SELECT, UPDATE (`PORT`, `MODIFIED`), INSERT ON `app`.`WORKER_NODE`" + to: {scope: onTable, table: "WORKER_NODE", rights: []string{"SELECT", "UPDATE", "INSERT"}},
		"GRANT UPDATE (PORT, MODIFIED) ON `app`.`worker_node`" + to:                     {scope: onTable, table: "WORKER_NODE", rights: []string{"UPDATE"}},
		"GRANT SELECT ON \"app\".\"WORKER_LEASE\" TO \"x\"@\"%\"":                       {scope: onTable, table: "WORKER_LEASE", rights: []string{"SELECT"}},
		"GRANT DROP ON `app`.`orders`" + to:                                             {rights: []string{"DROP"}},
		"GRANT SELECT (`a ON b`) ON `app`.`x TO y`" + to:                                {rights: []string{"SELECT"}},
		"GRANT EXECUTE ON PROCEDURE `app`.`WORKER_NODE`" + to:                           {rights: []string{"EXECUTE"}},
		"GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION":                 {rights: []string{"PROXY", "GRANT OPTION"}},
		"GRANT `role`" + to:   {role: true},
		"GRANT `ON`@`%`" + to: {role: true},
		"GRANT SELECT ON *.*" + to + " IDENTIFIED BY PASSWORD '*hunter2' WITH GRANT OPTION":    {scope: onServer, rights: []string{"SELECT", "GRANT OPTION"}},
		"GRANT SELECT ON `app`.* TO `x`@`%` IDENTIFIED VIA ed25519 USING 'hunter2 ON *.* TO '": {scope: onDatabase, rights: []string{"SELECT"}},
	} {
		g, ok := parseGrant(line, "app", "WORKER_NODE", "WORKER_LEASE")
		require.True(t, ok, line)
		require.Equal(t, want, g, line)
	}
	for _, nothing := range []string{"", "GRANT", "GRANT USAGE ON *.*" + to + " IDENTIFIED BY PASSWORD '*hunter2'", "SET DEFAULT ROLE `r` FOR `x`@`%`", "REVOKE SELECT ON `a`.* FROM x", "GRANT SELECT ON *.*"} {
		_, ok := parseGrant(nothing, "app", "WORKER_NODE")
		require.False(t, ok, nothing)
	}
}

func FuzzParseGrant(f *testing.F) {
	f.Add("GRANT SELECT, UPDATE (`PORT`) ON `hunter2`.`WORKER_NODE` TO `hunter2`@`%` IDENTIFIED BY PASSWORD '*hunter2' WITH GRANT OPTION", "app")
	f.Add("GRANT `hunter2` TO x", "")
	f.Add("GRANT SELECT ON `%_\\%`.* TO x", "a_%")
	f.Fuzz(func(t *testing.T, line, database string) {
		// Longer ones tell no more, and patterns with many % take long.
		line, database = line[:min(200, len(line))], database[:min(30, len(database))]
		g, ok := parseGrant(line, database, "WORKER_NODE")
		if !ok {
			return
		}
		require.True(t, g.role || len(g.rights) > 0)
		require.Equal(t, g.scope == onTable, g.table == "WORKER_NODE")
	})
}

// likeName is what a plain twin says, that tries every end of a %.
func TestLikeName(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"app", "app", true}, {"app", "apps", false}, {"app%", "apps", true}, {"%", "", true}, {"a_p", "axp", true}, {"a\\_p", "axp", false},
		{"a\\_p", "a_p", true}, {"\\%", "%", true}, {"\\%", "x", false}, {"_", "", false}, {"", "", true}, {"a", "", false}, {"%p", "app", true},
	} {
		require.Equal(t, tt.want, likeName(tt.pattern, tt.name), "%q %q", tt.pattern, tt.name)
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "%", "_"}), 0, 6).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab]{0,8}`).Draw(t, "name")
		rest := map[string]bool{name: true} // what may be left of the name
		for _, p := range pieces {
			next := map[string]bool{}
			for r := range rest {
				switch {
				case p == "%":
					for i := range len(r) + 1 {
						next[r[i:]] = true
					}
				case r != "" && (p == "_" || p == r[:1]):
					next[r[1:]] = true
				}
			}
			rest = next
		}
		require.Equal(t, rest[""], likeName(strings.Join(pieces, ""), name))
	})
}

func TestJudgeGrants(t *testing.T) {
	needs := map[string][]string{"NODES": {"SELECT", "INSERT"}, "LEASES": {"SELECT", "INSERT", "UPDATE"}}
	table := func(name string, rights ...string) grant { return grant{scope: onTable, table: name, rights: rights} }
	exact := []grant{table("NODES", "SELECT", "INSERT"), table("LEASES", "SELECT", "INSERT", "UPDATE")}
	for _, tt := range []struct {
		name   string
		grants []grant
		want   doctor.Level
		says   []string
	}{
		{"exact", exact, doctor.LevelOK, []string{"SELECT, INSERT on NODES; SELECT, INSERT, UPDATE on LEASES"}},
		{"with CREATE", append(exact, table("NODES", "CREATE")), doctor.LevelOK, nil},
		{"may see more", append(exact, grant{scope: onServer, rights: []string{"REPLICATION CLIENT", "REPLICA MONITOR"}}), doctor.LevelOK, nil},
		{"others elsewhere", append(exact, grant{rights: []string{"DROP"}}), doctor.LevelOK, []string{"others elsewhere"}},
		{"none", nil, doctor.LevelError, []string{"none", "INSERT on LEASES, INSERT on NODES, SELECT on LEASES, SELECT on NODES, UPDATE on LEASES"}},
		{"no UPDATE", []grant{table("NODES", "SELECT", "INSERT"), table("LEASES", "SELECT", "INSERT")}, doctor.LevelError, []string{"lacks: UPDATE on LEASES."}},
		{"of the other table", []grant{exact[1]}, doctor.LevelError, []string{"lacks: INSERT on NODES, SELECT on NODES."}},
		{"elsewhere", []grant{{rights: []string{"ALL PRIVILEGES"}}}, doctor.LevelError, nil},
		{"a role", []grant{{role: true}}, doctor.LevelNote, []string{"a role", "through a role"}},
		{"DELETE", append(exact, table("LEASES", "DELETE")), doctor.LevelWarn, []string{"makes IDs come again"}},
		{"DROP on the database", append(exact, grant{scope: onDatabase, rights: []string{"DROP"}}), doctor.LevelWarn, nil},
		{"the database", []grant{{scope: onDatabase, rights: []string{"SELECT", "INSERT", "UPDATE"}}}, doctor.LevelNote, []string{"on the whole database"}},
		{"the server", []grant{{scope: onServer, rights: []string{"SELECT", "INSERT", "UPDATE"}}}, doctor.LevelWarn, []string{"on all databases"}},
		{"may grant", append(exact, table("LEASES", "GRANT OPTION")), doctor.LevelWarn, nil},
		{"SUPER", append(exact, grant{scope: onServer, rights: []string{"SUPER"}}), doctor.LevelWarn, []string{"SUPER on all databases even writes to a read-only replica"}},
		{"all", []grant{{scope: onServer, rights: []string{"ALL PRIVILEGES"}}}, doctor.LevelWarn, []string{"read-only replica"}},
		{"all of the database", []grant{{scope: onDatabase, rights: []string{"ALL PRIVILEGES"}}}, doctor.LevelWarn, nil},
		{"many", append(exact, grant{scope: onServer, rights: strings.Split("A B C D E F G H", " ")}), doctor.LevelWarn, []string{"A, B, C, D, E, F and 2 more on all databases"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := judgeGrants(tt.grants, needs)
			checkFinding(t, f, tt.want, tt.says...)
		})
	}
}
