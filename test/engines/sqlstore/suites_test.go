package sqlstore_test

import (
	"database/sql/driver"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/faulty"
	"github.com/uidgen/uid/test/kit"
)

// engines are where the suites are played; on MariaDB and on SQLite they are in test/databases.
var engines = map[string]struct {
	driver string
	// start returns the sources that clients are spread over.
	start func(t *testing.T) (sources []string)
	// modes are settings of the clients.
	modes map[string]string
	// seeing is the setting with which the administrator sees what all have committed, and asLeaf
	// how Leaf's driver sends parameters by default.
	seeing, asLeaf string
	leafTable      string
}{
	"PostgreSQL": {
		driver: "pgx",
		start: func(t *testing.T) []string {
			return []string{cluster.SharedPostgres(t).NewDatabase(t)}
		},
		modes:     map[string]string{"prepared": "", "exec": "&default_query_exec_mode=exec", "simple": "&default_query_exec_mode=simple_protocol"},
		leafTable: strings.Replace(strings.TrimSuffix(faulty.LeafTable, " ENGINE=InnoDB"), " ON UPDATE CURRENT_TIMESTAMP", "", 1),
	},
	"MySQL 9": {
		driver: "mysql",
		start: func(t *testing.T) []string {
			s, err := cluster.StartMySQL9("mysql9")
			cluster.For(t, s, err)
			return []string{s.Source(s.Addr(0))}
		},
		modes:  map[string]string{"": ""},
		asLeaf: "&interpolateParams=true", leafTable: faulty.LeafTable,
	},
	// Each of whose three nodes has its own locks. Leaf uses one of them.
	"Galera": {
		driver: "mysql", start: func(t *testing.T) []string { return galera(t) },
		modes:  map[string]string{"": ""},
		seeing: "&wsrep_sync_wait=15", asLeaf: "&interpolateParams=true", leafTable: faulty.LeafTable,
	},
}

func TestEngines(t *testing.T) {
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait most of the time
			sources := e.start(t)
			admin := func(t *testing.T, settings string) *sqlx.DB { return opening(e.driver, sources[0]+settings)(t) }
			database := func(t *testing.T, settings, mode string) faulty.Database {
				d := faulty.Database{Driver: e.driver, Admin: admin(t, settings)}
				next := inTurns(sources)
				d.Connect = func() (driver.Connector, error) {
					return d.Admin.Driver().(driver.DriverContext).OpenConnector(next() + mode)
				}
				return d
			}
			leases := func(t *testing.T, mode string, stands bool) {
				d := database(t, e.seeing, mode)
				d.Stands = stands
				open := func(t *testing.T) storetest.Subject {
					kit.Do(t, d.Admin, "DROP TABLE IF EXISTS WORKER_LEASE")
					return d.Subject(t)
				}
				storetest.Run(t, histories(), open)
				storetest.RunRegistry(t, histories(), open)
			}
			numbers := []string{"DROP TABLE IF EXISTS leaf_alloc", "DROP TABLE IF EXISTS leaf_alloc_takers"}
			for _, mode := range slices.Sorted(maps.Keys(e.modes)) {
				t.Run(mode, func(t *testing.T) {
					t.Run("leases", func(t *testing.T) { leases(t, e.modes[mode], false) })
					t.Run("segments", func(t *testing.T) {
						d := database(t, e.asLeaf+e.seeing, e.modes[mode])
						segmenttest.Run(t, segmenttest.Config{Histories: histories().Histories}, func(t *testing.T) segmenttest.Subject {
							kit.Do(t, d.Admin, numbers...)
							return d.Segments(t)
						})
					})
				})
			}
			t.Run("beside Leaf", func(t *testing.T) {
				d := database(t, e.asLeaf, "")
				kit.Do(t, d.Admin, append(numbers, e.leafTable)...)
				rounds := 170
				if full() {
					rounds = 1000
				}
				d.BesideLeaf(t, rounds)
			})
			if name == "PostgreSQL" {
				t.Run("a clock that stands", func(t *testing.T) { leases(t, "", true) })
			}
		})
	}
}

func histories() storetest.Config {
	if full() {
		return storetest.Config{Histories: 60}
	}
	return storetest.Config{Histories: 6}
}
