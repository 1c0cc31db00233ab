package fitness

import (
	"strings"
	"testing"

	"github.com/uidgen/uid/internal/doctor"
)

func TestRights(t *testing.T) {
	needs := []need{{"SELECT", "NODES", ""}, {"INSERT", "NODES", ""},
		{"SELECT", "LEASES", ""}, {"INSERT", "LEASES", ""}, {"UPDATE", "LEASES", ""}}
	rights := func(where string, names ...string) (all []right) {
		for _, name := range names {
			all = append(all, right{name: name, where: where})
		}
		return all
	}
	exact := append(rights("on NODES", "SELECT", "INSERT"), rights("on LEASES", "SELECT", "INSERT", "UPDATE")...)
	and := func(where string, names ...string) []right {
		return append(exact[:len(exact):len(exact)], rights(where, names...)...)
	}
	for _, tt := range []struct {
		name  string
		has   []right
		lacks []string
		want  doctor.Level
		says  []string
	}{
		{"exact", exact, nil, ok, []string{"SELECT, INSERT on NODES; SELECT, INSERT, UPDATE on LEASES"}},
		{"with CREATE", and("on NODES", "CREATE"), nil, ok, nil},
		{"may see more", and(onServer, "REPLICATION CLIENT", "REPLICA MONITOR", "USAGE"), nil, ok,
			[]string{"REPLICATION CLIENT, REPLICA MONITOR on all databases"}},
		{"others elsewhere", and(elsewhere, "DROP", "DELETE"), nil, ok, []string{"; others elsewhere"}},
		{"lacks all", nil, []string{"SELECT on NODES", "UPDATE on LEASES"}, bad,
			[]string{"none", "lacks: SELECT on NODES, UPDATE on LEASES."}},
		{"lacks one", exact, []string{"UPDATE on LEASES"}, bad, []string{"lacks: UPDATE on LEASES."}},
		{"DELETE", and("on LEASES", "DELETE"), nil, warn, []string{"makes IDs come again"}},
		{"DROP on the database", and(onDatabase, "DROP"), nil, warn, nil},
		{"the database", rights(onDatabase, "SELECT", "INSERT", "UPDATE"), nil, note,
			[]string{"on the whole database"}},
		{"the server", rights(onServer, "SELECT", "INSERT", "UPDATE"), nil, warn, []string{"on all databases"}},
		{"the server and the database", append(rights(onServer, "SELECT"), rights(onDatabase, "SELECT")...),
			nil, warn, nil},
		{"may grant", append(exact[:len(exact):len(exact)], right{"SELECT", true, "on LEASES"}), nil, warn, nil},
		{"may grant nothing", append(exact[:len(exact):len(exact)], right{"USAGE", true, onServer}), nil, warn, nil},
		{"SUPER", and(onServer, "SUPER"), nil, warn,
			[]string{"SUPER on all databases even writes to a read-only replica"}},
		{"a superuser", and(onServer, "SUPERUSER"), nil, warn, []string{"makes IDs come again"}},
		{"many", and(onServer, strings.Split("A B C D E F G H", " ")...), nil, warn,
			[]string{"A, B, C, D, E, F and 2 more on all databases"}},
	} {
		checkFinding(t, judgeRights(tt.has, needs, tt.lacks, false, false), tt.want, tt.says...)
	}
	create := []string{"CREATE on NODES"}
	checkFinding(t, judgeRights(exact, needs, create, false, true), warn, "lacks: CREATE on NODES.")
	checkFinding(t, judgeRights(nil, needs, nil, true, false), ok, "none; a role")
}
