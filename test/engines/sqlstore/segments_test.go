package sqlstore_test

import (
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/uidgen/uid/segment/segmenttest"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/faulty"
	"github.com/uidgen/uid/test/kit"
)

// asLeaf is how Leaf's driver sends parameters by default.
const asLeaf = "&interpolateParams=true"

// segmentSuite runs the suite of stores of segments, whose clients are spread over the sources. The
// administrator's pool has further settings.
func segmentSuite(t *testing.T, d faulty.Database, settings string, sources ...string) {
	t.Helper()
	source := inTurns(sources)
	d.Admin = opening(d.Driver, sources[0]+settings)(t)
	d.Connect = func() (driver.Connector, error) {
		return d.Admin.Driver().(driver.DriverContext).OpenConnector(source())
	}
	segmenttest.Run(t, segmenttest.Config{Histories: histories().Histories}, func(t *testing.T) segmenttest.Subject {
		kit.Do(t, d.Admin, "DROP TABLE IF EXISTS leaf_alloc", "DROP TABLE IF EXISTS leaf_alloc_takers")
		return d.Segments(t)
	})
}

func TestSegmentsOnPostgres(t *testing.T) {
	s := postgres(t, "max_connections=400")
	for name, mode := range map[string]string{"prepared": "", "exec": "&default_query_exec_mode=exec", "simple": "&default_query_exec_mode=simple_protocol"} {
		t.Run(name, func(t *testing.T) { segmentSuite(t, faulty.Database{Driver: "pgx"}, "", s.URL(s.Addr(0))+mode) })
	}
}

func TestSegmentsOnMariaDB(t *testing.T) {
	s, err := cluster.StartMariaDB("mariadb")
	cluster.For(t, s, err)
	segmentSuite(t, faulty.Database{Driver: "mysql"}, asLeaf, s.Source(s.Addr(0)))
}

func TestSegmentsOnMySQL9(t *testing.T) {
	s, err := cluster.StartMySQL9("mysql9")
	cluster.For(t, s, err)
	segmentSuite(t, faulty.Database{Driver: "mysql"}, asLeaf, s.Source(s.Addr(0)))
}

// Clients are spread over the three nodes of a cluster, each of which has its own locks.
func TestSegmentsOnGalera(t *testing.T) {
	segmentSuite(t, faulty.Database{Driver: "mysql"}, asLeaf+"&wsrep_sync_wait=15", galera(t)...)
}

// besideLeaf has Go services and Java services with Leaf take numbers from one table, which was made
// by the statement.
func besideLeaf(t *testing.T, d faulty.Database, settings, table string, sources ...string) {
	t.Helper()
	source := inTurns(sources)
	d.Admin = opening(d.Driver, sources[0]+settings)(t)
	d.Connect = func() (driver.Connector, error) {
		return d.Admin.Driver().(driver.DriverContext).OpenConnector(source())
	}
	kit.Do(t, d.Admin, table)
	rounds := 170
	if full() {
		rounds = 1000
	}
	d.BesideLeaf(t, rounds)
}

func TestSegmentsBesideLeafOnPostgres(t *testing.T) {
	table := strings.Replace(strings.TrimSuffix(faulty.LeafTable, " ENGINE=InnoDB"), " ON UPDATE CURRENT_TIMESTAMP", "", 1)
	s := postgres(t)
	besideLeaf(t, faulty.Database{Driver: "pgx"}, "", table, s.URL(s.Addr(0)))
}

func TestSegmentsBesideLeafOnMySQL9(t *testing.T) {
	s, err := cluster.StartMySQL9("mysql9")
	cluster.For(t, s, err)
	besideLeaf(t, faulty.Database{Driver: "mysql"}, asLeaf, faulty.LeafTable, s.Source(s.Addr(0)))
}

// Leaf uses one node of the cluster, others use all of them.
func TestSegmentsBesideLeafOnGalera(t *testing.T) {
	besideLeaf(t, faulty.Database{Driver: "mysql"}, asLeaf, faulty.LeafTable, galera(t)...)
}
