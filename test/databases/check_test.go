package databases_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
)

// findings are those of a check, by what was looked at.
type findings map[string]doctor.Finding

func checked(t testing.TB, db *sqlx.DB, cfg doctor.Config) findings {
	t.Helper()
	if cfg.Terms == nil {
		cfg.Terms = layoutTerms
	}
	all, err := doctor.Check(t.Context(), examined(db), cfg)
	require.NoError(t, err)
	m := findings{}
	for _, f := range all {
		require.NotEmpty(t, f.Value, f.What)
		require.Equal(t, f.Level == doctor.LevelOK, f.Why == "" && f.Do == "", "%+v", f)
		m[f.What] = f
	}
	return m
}

// levels are those of a check that are not ok.
func (m findings) levels() badness {
	bad := badness{}
	for what, f := range m {
		if f.Level != doctor.LevelOK {
			bad[what] = f.Level
		}
	}
	return bad
}

// is requires what was found of something.
func (m findings) is(t testing.TB, what string, level doctor.Level, value string) {
	t.Helper()
	require.Equal(t, level, m[what].Level, what)
	require.Equal(t, value, m[what].Value, what)
}

// comes waits until checks find a value of something, and requires its level.
func comes(t testing.TB, check func() findings, what string, level doctor.Level, value string) (m findings) {
	t.Helper()
	require.Eventually(t, func() bool {
		m = check()
		return m[what].Value == value
	}, time.Minute, 50*time.Millisecond)
	m.is(t, what, level, value)
	return m
}

type badness = map[string]doctor.Level

// carefulServer is what a server has that is set up well, to who may do all.
var carefulServer = badness{
	"disposable IDs": doctor.LevelNote, "leased IDs": doctor.LevelNote, "grants": doctor.LevelWarn,
}

// needed are the grants that workers need of both tables, for granted.
var needed = []string{
	"GRANT SELECT, INSERT ON `DB`.WORKER_NODE TO @", "GRANT SELECT, INSERT, UPDATE ON `DB`.WORKER_LEASE TO @",
}

// granted returns the store, opened by a new account with the rights that the
// statements give it; in them @ stands for the account, and DB for the database.
func granted(t testing.TB, s store, statements ...string) *sqlx.DB {
	t.Helper()
	admin := s.Open(t)
	name, password := "acct_"+strings.ToLower(rand.Text()[:12]), canary+rand.Text()
	var words *strings.Replacer
	if s.Driver == "pgx" {
		engines.Do(t, admin, "CREATE ROLE "+name+" LOGIN")
		words = strings.NewReplacer("@", name, "`DB`.", "")
	} else {
		at := "'" + name + "'@'%'"
		engines.Do(t, admin, "CREATE USER "+at+" IDENTIFIED BY '"+password+"'")
		t.Cleanup(func() { engines.Do(t, admin, "DROP USER "+at) })
		database := "`" + must(mysql.ParseDSN(s.Source)).DBName + "`"
		words = strings.NewReplacer("@", at, "DB", strings.ReplaceAll(database, "_", `\_`), "`DB`", database)
	}
	for _, statement := range statements {
		engines.Do(t, admin, words.Replace(statement))
	}
	if s.Driver == "pgx" {
		return as(t, s, name)
	}
	return s.With(t, func(c *mysql.Config) { c.User, c.Passwd = name, password }).Open(t)
}

func both(t testing.TB, db *sqlx.DB) {
	t.Helper()
	acquire(t, db, asked{})
	putLease(t, db, "default", 0, time.Hour)
}

// Nothing is found where all is as it should be, by an account with the rights that workers need and one to look at
// the server. Who may do all is warned.
func TestCheckOfASoundDatabase(t *testing.T) {
	t.Parallel()
	on := func(start func(name string, options ...string) (*cluster.MySQL, error)) func(testing.TB) store {
		return func(t testing.TB) store {
			server, err := start("check", "--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1")
			cluster.For(t, server, err)
			return store{Driver: "mysql", Source: server.DSN(server.NewDatabase(t))}
		}
	}
	for kind, c := range map[string]struct {
		asked  string
		fresh  func(testing.TB) store
		looks  string // the right to look
		grants string // what is shown of all rights
		lookAt int    // how much is looked at
	}{
		"SQLite": {"sqlite", engines.NewSQLite, "", "", 13},
		"MariaDB": {"mysql", on(cluster.StartMariaDB), "REPLICA MONITOR", "SELECT, INSERT on WORKER_NODE; " +
			"SELECT, INSERT, UPDATE on WORKER_LEASE; SLAVE MONITOR on all databases", 16},
		"MySQL 9": {"mysql9", on(cluster.StartMySQL9), "REPLICATION SLAVE, REPLICATION CLIENT",
			"SELECT, INSERT on WORKER_NODE; SELECT, INSERT, UPDATE on WORKER_LEASE; " +
				"REPLICATION SLAVE, REPLICATION CLIENT on all databases", 17},
		"PostgreSQL": {"postgres", engines.NewPostgres, "",
			"SELECT, INSERT on worker_node; SELECT, INSERT, UPDATE on worker_lease", 20},
	} {
		t.Run(kind, func(t *testing.T) {
			engines.Needs(t, c.asked)
			s := c.fresh(t)
			admin := s.Open(t)
			if kind != "SQLite" {
				require.Equal(t, carefulServer, checked(t, admin, doctor.Config{}).levels())
			}
			both(t, admin)
			worker := admin
			switch s.Driver {
			case "pgx":
				worker = granted(t, s, needed...)
			case "mysql":
				worker = granted(t, s, append(needed, "GRANT "+c.looks+" ON *.* TO @")...)
				unable := checked(t, granted(t, s, needed...), doctor.Config{})
				for what, level := range unable.levels() {
					require.Equal(t, doctor.LevelNote, level, "%+v", unable[what])
				}
				unable.is(t, "replica", doctor.LevelNote, "could not be told")
			}
			m := checked(t, worker, doctor.Config{MaxWorkerID: 1000})
			delete(m, "file system") // this machine's
			require.Equal(t, badness{"spaces of worker IDs": doctor.LevelNote}, m.levels(), "%+v", m)
			require.Equal(t, c.lookAt, len(m))
			grants := strings.Split(m["grants"].Value, "; ") // whose order is the server's
			require.ElementsMatch(t, strings.Split(c.grants, "; "), grants)
			if s.Driver != "pgx" { // where an account may not see the counter
				require.Equal(t, "1 rows, largest ID 1, next ID 2, of 1000", m["disposable IDs"].Value)
			}
		})
	}
}

func TestCheckOfAnEmptyDatabase(t *testing.T) {
	each(t, anywhere, func(t *testing.T, _ store, db *sqlx.DB) {
		m := checked(t, db, doctor.Config{})
		require.Equal(t, doctor.LevelNote, m["disposable IDs"].Level)
		require.Equal(t, doctor.LevelNote, m["leased IDs"].Level)
		require.NotContains(t, m, "table of disposable IDs")
		require.NotContains(t, m, "counter of disposable IDs")
	})
}

// What a session or a server is set to is what the check tells.
func TestCheckOfSettings(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t)
	both(t, s.Open(t))
	base := checked(t, s.Open(t), doctor.Config{}).levels()
	isolation, readOnly := transaction(t, s, "isolation"), transaction(t, s, "read_only")
	const increment = "auto_increment_increment"
	for _, tt := range []struct {
		params map[string]string
		what   string
		want   doctor.Level
		value  string
	}{
		{map[string]string{isolation: "'SERIALIZABLE'"}, "isolation", doctor.LevelNote, "SERIALIZABLE"},
		{map[string]string{isolation: "'READ-UNCOMMITTED'"}, "isolation", doctor.LevelWarn, "READ-UNCOMMITTED"},
		{map[string]string{increment: "7", "auto_increment_offset": "3"}, increment, doctor.LevelWarn, "7, offset 3"},
		{map[string]string{readOnly: "1"}, "writable", doctor.LevelError, readOnly + " is on"},
		{map[string]string{"timestamp": "1000000000"}, "clocks", doctor.LevelError, "the store's is -"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			m := checked(t, s.With(t, func(c *mysql.Config) { c.Params = tt.params }).Open(t), doctor.Config{})
			require.Equal(t, tt.want, m[tt.what].Level)
			require.Contains(t, m[tt.what].Value, tt.value)
			bad := m.levels()
			delete(bad, tt.what)
			if tt.what == "clocks" { // the leases are of another time, too
				delete(bad, "times of leases")
				delete(bad, "last ticks of leases")
			}
			require.Equal(t, base, bad, "nothing else")
		})
	}
}

func TestCheckOfACarelessServer(t *testing.T) {
	t.Parallel()
	server := mariaDB(t, "--log-bin=bin", "--server-id=7", "--sync-binlog=0", "--innodb-flush-log-at-trx-commit=2",
		"--binlog-format=STATEMENT", "--transaction-isolation=READ-COMMITTED", "--auto-increment-increment=3")
	s := engines.Database{Driver: "mysql", Source: server.DSN(server.NewDatabase(t))}
	db := s.Open(t)
	bad := checked(t, db, doctor.Config{}).levels()
	require.Equal(t, badness{
		"innodb_flush_log_at_trx_commit": doctor.LevelError,
		"sync_binlog":                    doctor.LevelError,
		"isolation":                      doctor.LevelError,
		"auto_increment_increment":       doctor.LevelNote, // nobody uses it
		"grants":                         doctor.LevelWarn,
		"disposable IDs":                 doctor.LevelNote,
		"leased IDs":                     doctor.LevelNote,
	}, bad)
	// It is true what the check says of that isolation.
	require.ErrorContains(t, tryID(t, db, asked{}), "1665")

	// Leases make up for lost commits, unless they are told that there are none.
	engines.Do(t, db, "DROP TABLE WORKER_NODE",
		"SET GLOBAL binlog_format = 'ROW'", "SET GLOBAL tx_isolation = 'REPEATABLE-READ'")
	db = s.Open(t)
	putLease(t, db, "default", 0, time.Hour)
	for durable, want := range map[bool]doctor.Level{false: doctor.LevelNote, true: doctor.LevelError} {
		m := checked(t, db, doctor.Config{Never: durable})
		require.Equal(t, want, m["innodb_flush_log_at_trx_commit"].Level)
		require.Equal(t, want, m["sync_binlog"].Level)
		require.Equal(t, doctor.LevelOK, m["isolation"].Level)
		require.Equal(t, "no replica is connected", m["replication"].Value)
	}
}

func TestCheckOfAPair(t *testing.T) {
	t.Parallel()
	pair := mariaDBPair(t)
	of := func(s *cluster.MySQL) findings { return checked(t, s.Open(t, "mysql"), doctor.Config{}) }
	first := func() findings { return of(pair.MySQL()) }
	m := comes(t, first, "replication", doctor.LevelWarn, "1 connected, asynchronous")
	require.Equal(t, "no", m["replica"].Value)
	require.Equal(t, "yes", m["writable"].Value)

	m = of(pair.MySQLReplica())
	m.is(t, "replica", doctor.LevelError, "yes, read-only")
	m.is(t, "writable", doctor.LevelError, "read_only is on")

	replica := pair.MySQLReplica().Open(t, "mysql")
	engines.Do(t, replica, "SET GLOBAL read_only = 0")
	m = of(pair.MySQLReplica())
	m.is(t, "replica", doctor.LevelError, "yes, and writable")
	cfg := pair.MySQLReplica().Config("mysql")
	cfg.ColumnsWithAlias = true
	alias := opening(t, "mysql", cfg.FormatDSN())
	require.Equal(t, m["replica"], checked(t, alias, doctor.Config{})["replica"])

	engines.Do(t, pair.MySQL().Open(t, "mysql"), "SET GLOBAL rpl_semi_sync_master_enabled = 1")
	engines.Do(t, replica, "SET GLOBAL rpl_semi_sync_slave_enabled = 1", "STOP SLAVE", "START SLAVE")
	comes(t, first, "replication", doctor.LevelNote, "1 connected, semi-synchronous")

	engines.Do(t, replica, "STOP SLAVE")
	of(pair.MySQLReplica()).is(t, "replica", doctor.LevelWarn, "set up, but stopped; writable")

	// An account without a right to it is told that nothing is told.
	engines.Do(t, replica, "CREATE USER nobody@'%'", "GRANT SELECT ON mysql.* TO nobody@'%'")
	cfg = pair.MySQLReplica().Config("mysql")
	cfg.User = "nobody"
	untold := opening(t, "mysql", cfg.FormatDSN())
	require.Equal(t, doctor.LevelNote, checked(t, untold, doctor.Config{})["replica"].Level)
	engines.Do(t, replica, "START SLAVE")
	m = checked(t, untold, doctor.Config{})
	require.Equal(t, "yes, and writable", m["replica"].Value, "one that runs shows in the status")
}

// A table that cannot hold what is written is found by who checks, and refused before the first use, whatever the
// session's mode.
func TestCheckOfTables(t *testing.T) {
	t.Parallel()
	const nodes, leases = "table of disposable IDs", "table of leased IDs"
	const segments, takers = "table of segments", "table of segments' takers"
	for _, tt := range []struct{ change, what, says string }{
		{"WORKER_NODE ENGINE = MyISAM", nodes, "engine MyISAM"},
		{"WORKER_NODE MODIFY ID BIGINT NOT NULL", nodes, "column ID is not AUTO_INCREMENT"},
		{"WORKER_NODE MODIFY PORT VARCHAR(20) NOT NULL", nodes, "column PORT holds 20 characters"},
		{"WORKER_NODE DROP COLUMN PORT", nodes, "no column PORT"},
		{"WORKER_NODE ADD COLUMN MORE INT NOT NULL", nodes, "further column MORE"},
		{"WORKER_LEASE MODIFY HIGH INT NOT NULL", leases, "column HIGH is of type int"},
		{"WORKER_LEASE MODIFY HIGH MEDIUMINT NOT NULL", leases, "column HIGH is of type mediumint"},
		{"WORKER_LEASE MODIFY HIGH VARCHAR(30) NOT NULL", leases, "column HIGH is of type varchar"},
		{"WORKER_LEASE MODIFY HIGH DOUBLE NOT NULL", leases, "column HIGH is of type double"},
		{"WORKER_LEASE MODIFY HIGH BIGINT UNSIGNED NOT NULL", leases, "bigint unsigned"},
		{"WORKER_LEASE DROP PRIMARY KEY, ADD PRIMARY KEY (NAMESPACE, WORKER_ID, HIGH)", "", ""},
		{"WORKER_LEASE DROP PRIMARY KEY", leases, "NAMESPACE is not in"},
		{"WORKER_LEASE MODIFY NAMESPACE VARCHAR(64) COLLATE utf8mb4_general_ci NOT NULL", leases, "utf8mb4_general_ci"},
		{"leaf_alloc MODIFY max_id INT NOT NULL", segments, "column max_id is of type int"},
		{"leaf_alloc MODIFY max_id DOUBLE NOT NULL", segments, "column max_id is of type double"},
		{"leaf_alloc MODIFY step SMALLINT NOT NULL", segments, "column step is of type smallint"},
		{"leaf_alloc MODIFY description VARCHAR(100)", segments, "column description holds 100 characters"},
		{"leaf_alloc MODIFY update_time VARCHAR(30)", segments, "column update_time is of type varchar"},
		{"leaf_alloc DROP description", segments, "no column description"},
		{"leaf_alloc ADD more INT NOT NULL", segments, "further column MORE"},
		{"leaf_alloc DROP PRIMARY KEY", segments, "column biz_tag is not in the primary key"},
		{"leaf_alloc ENGINE = MyISAM", segments, "engine MyISAM"},
		{"leaf_alloc_takers MODIFY takers VARCHAR(2000) NOT NULL", takers, "column takers holds 2000 characters"},
		{"leaf_alloc_takers DROP nonce", takers, "no column nonce"},
		{"leaf_alloc_takers DROP PRIMARY KEY", takers, "column biz_tag is not in the primary key"},
	} {
		t.Run(tt.change, func(t *testing.T) {
			t.Parallel()
			db := engines.NewMySQL(t).With(t, func(c *mysql.Config) {
				c.Params = map[string]string{"sql_mode": "''"}
			}).Open(t)
			tables := usedTables(t, db)
			base := checked(t, db, doctor.Config{}).levels()
			engines.Do(t, db, "UPDATE WORKER_LEASE SET HIGH = 0", "DELETE FROM WORKER_NODE", "ALTER TABLE "+tt.change)
			m := checked(t, db, doctor.Config{})
			bad := m.levels()
			if tt.what != "" {
				require.NotEqual(t, doctor.LevelOK, m[tt.what].Level)
				require.Contains(t, m[tt.what].Value, tt.says)
				delete(bad, tt.what)
				table, _, _ := strings.Cut(strings.ToLower(tt.change), " ")
				_, err := tables[strings.TrimSuffix(table, "_takers")].Inspect(t.Context())
				if tt.says == "utf8mb4_general_ci" { // which takes two namespaces for one
					require.NoError(t, err)
				} else {
					logtest.Error(t, err, uid.ErrConfig, tt.says)
				}
			}
			delete(base, "spaces of worker IDs") // which is not told where one of the tables is not used
			delete(bad, "spaces of worker IDs")
			require.Equal(t, base, bad)
		})
	}
	t.Run("renamed", func(t *testing.T) {
		db := engines.NewMySQL(t).Open(t)
		both(t, db)
		engines.Do(t, db, "ALTER TABLE WORKER_LEASE CHANGE HOLDER OWNER VARCHAR(128) NOT NULL")
		m := checked(t, db, doctor.Config{})
		require.Equal(t, "no column HOLDER", m[leases].Value)
		require.Equal(t, "unreadable", m["leased IDs"].Value)
		require.NotEqual(t, doctor.LevelOK, m["leased IDs"].Level)
	})
	t.Run("SQLite without AUTOINCREMENT", func(t *testing.T) {
		db := engines.NewSQLite(t).Open(t)
		text := strings.Replace(createTable(db, "WORKER_NODE"), "PRIMARY KEY AUTOINCREMENT", "PRIMARY KEY", 1)
		engines.Do(t, db, text, "INSERT INTO WORKER_NODE (HOST_NAME, PORT, TYPE, LAUNCH_DATE) VALUES ('', '', 1, '')")
		m := checked(t, db, doctor.Config{})
		require.Equal(t, "column ID is not AUTO_INCREMENT", m["table of disposable IDs"].Value)
	})
	t.Run("a view to others", func(t *testing.T) {
		s := engines.NewMySQL(t)
		both(t, s.Open(t))
		none := granted(t, s, "GRANT SELECT ON `DB`.WORKER_NODE TO @")
		m := checked(t, none, doctor.Config{})
		require.Equal(t, doctor.LevelError, m["leased IDs"].Level)
		require.Contains(t, m["leased IDs"].Why, "1142")
		require.Equal(t, doctor.LevelError, m["grants"].Level)
		require.Contains(t, m["grants"].Why, "lacks: INSERT on WORKER_NODE.")
	})
}

func TestCheckOfACounterThatIsBehind(t *testing.T) {
	t.Parallel()
	db := engines.NewSQLite(t).Open(t)
	acquire(t, db, asked{})
	acquire(t, db, asked{})
	engines.Do(t, db, "UPDATE sqlite_sequence SET seq = 1")
	f := checked(t, db, doctor.Config{})["counter of disposable IDs"]
	require.Equal(t, doctor.LevelError, f.Level)
	engines.Do(t, db, f.Do)
	require.Equal(t, doctor.LevelOK, checked(t, db, doctor.Config{})["counter of disposable IDs"].Level)
}

func TestCheckOfSQLiteFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "uid.db")
	sound, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	defer sound.Close()
	open := func(source string) findings {
		db := must(sqlx.Open("sqlite", source))
		defer db.Close()
		return checked(t, db, doctor.Config{})
	}
	for source, what := range map[string]string{
		path + "?_pragma=synchronous(0)": "synchronous", path + "?_pragma=journal_mode(memory)": "journal_mode",
		":memory:": "file system",
	} {
		require.Equal(t, doctor.LevelError, open(source)[what].Level)
	}
	both(t, sound)
	engines.Do(t, sound, "CREATE TABLE FILLER (X)", "INSERT INTO FILLER VALUES ('filler-filler')")
	require.NoError(t, sound.Close())
	file := must(os.ReadFile(path))
	at := strings.Index(string(file), "filler-filler")
	require.Positive(t, at)
	file[at/4096*4096+3] = 0xff // how many rows the page says it has
	require.NoError(t, os.WriteFile(path, file, 0o600))
	open(path).is(t, "file", doctor.LevelError, "damaged")
}

// documentation is that of package sqlstore.
func documentation() string {
	return string(must(os.ReadFile(filepath.Join("..", "..", "worker", "sqlstore", "doc.go"))))
}

// documented returns the statements of the documentation that grant rights and have a text, for granted.
func documented(has string) (statements []string) {
	grants := regexp.MustCompile(`(?m)^//\t(GRANT .* TO 'uid.*);( -- .*)?$`)
	words := strings.NewReplacer("app.", "`DB`.", "'uid'@'%'", "@", "'uid_admin'@'%'", "@")
	for _, m := range grants.FindAllStringSubmatch(documentation(), -1) {
		if strings.Contains(m[1], has) {
			statements = append(statements, words.Replace(m[1]))
		}
	}
	return statements
}

// withoutOne returns the statements without each of the rights that they grant.
func withoutOne(statements []string) (all [][]string) {
	for i, statement := range statements {
		rights, rest, _ := strings.Cut(strings.TrimPrefix(statement, "GRANT "), " ON ")
		list := strings.Split(rights, ", ")
		if len(list) == 1 || strings.Contains(rights, "(") { // columns
			all = append(all, slices.Delete(slices.Clone(statements), i, i+1))
			continue
		}
		for j := range list {
			fewer := slices.Clone(statements)
			fewer[i] = "GRANT " + strings.Join(slices.Delete(slices.Clone(list), j, j+1), ", ") + " ON " + rest
			all = append(all, fewer)
		}
	}
	return all
}

// The statements of the documentation are all that is needed for each use, and each right in them is needed.
func TestDocumentedGrants(t *testing.T) {
	nodes, leased, segments := documented("INSERT ON app.WORKER_NODE"), documented("app.WORKER_LEASE TO 'uid'"),
		documented("app.leaf_")
	port, keeper, reports := documented("(PORT"), documented("uid_admin"), documented("ON *.*")
	for _, list := range [][]string{nodes, port, leased, keeper, reports, segments[2:]} {
		require.Len(t, list, 1)
	}
	each(t, servers, func(t *testing.T, s store, admin *sqlx.DB) {
		usedTables(t, admin)
		tags := 0
		drawn := func(db *sqlx.DB, make string) error {
			tags++
			tag, s := fmt.Sprint("tag", tags), segmentsOf(db)
			engines.Do(t, admin, fmt.Sprintf(make, tag))
			_, notListed := s.Rows(t.Context(), "", 100)
			_, notInspected := s.Inspect(t.Context())
			return errors.Join(tryDraw(t.Context(), s, tag), tryDraw(t.Context(), s, tag), notListed, notInspected)
		}
		for _, c := range []struct {
			rights []string
			use    func(db *sqlx.DB) error
		}{
			{nodes, func(db *sqlx.DB) error { return tryID(t, db, asked{}) }},
			{slices.Concat(nodes, port), func(db *sqlx.DB) error { return tryID(t, db, asked{Port: "80"}) }},
			{leased, func(db *sqlx.DB) (err error) {
				for _, losses := range []lease.Losses{lease.ByHistory, lease.NeverUnchecked} {
					namespace := rand.Text()
					founding := lease.Founding{Layout: milliseconds}
					require.NoError(t, newRegistry(admin).Init(t.Context(), namespace, founding))
					cfg := lease.Config{MaxClockSkew: 20 * time.Millisecond, Losses: losses, Logger: quiet()}
					l := must(lease.New(strangerOf(db, namespace).Store, cfg))
					r, notAcquired := l.Acquire(t.Context(), millis(1023))
					if notAcquired != nil {
						return notAcquired
					}
					_, notExtended := l.Extend(t.Context(), r.Last+1000)
					err = errors.Join(err, notExtended, l.Release(t.Context(), r.First))
				}
				return err
			}},
			{keeper, func(db *sqlx.DB) error {
				engines.Do(t, admin, "DELETE FROM WORKER_LEASE WHERE NAMESPACE = 'old'")
				putLease(t, admin, "old", 1, 1000*time.Hour)
				_, err := newRegistry(db).Release(t.Context(), "old", 1, false)
				return err
			}},
			{segments[:2], func(db *sqlx.DB) error {
				return drawn(db, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('%s', 1, 1)")
			}},
			{segments, func(db *sqlx.DB) error { return drawn(db, "SELECT '%s'") }},
		} {
			require.NoError(t, c.use(granted(t, s, c.rights...)))
			for _, fewer := range withoutOne(c.rights) {
				require.ErrorContains(t, c.use(granted(t, s, fewer...)), "access denied", "with %s", fewer)
			}
		}
		if s.Driver == "pgx" {
			return
		}
		if !isMariaDB(t, s) {
			require.Contains(t, documentation(), "REPLICATION CLIENT on MySQL")
			reports = []string{"GRANT REPLICATION CLIENT ON *.* TO @"}
		}
		m := checked(t, granted(t, s, slices.Concat(nodes, leased, reports)...), doctor.Config{})
		require.Equal(t, doctor.LevelOK, m["grants"].Level, "%+v", m["grants"])
		require.Equal(t, doctor.LevelOK, m["replica"].Level)
	})
}

func TestCheckGalera(t *testing.T) {
	engines.Needs(t, "galera")
	g, err := cluster.StartGalera("check", "--innodb-flush-log-at-trx-commit=1")
	cluster.For(t, g, err)
	first := g.Nodes[0]
	db := opening(t, "mysql", first.Source(first.Addr(0)))
	both(t, db)

	m := checked(t, db, doctor.Config{})
	require.Equal(t, badness{
		"certification": doctor.LevelNote, "Galera's durability": doctor.LevelWarn, "wsrep_sync_wait": doctor.LevelNote,
		"auto_increment_increment": doctor.LevelWarn, // Galera sets it to the number of nodes
		"grants":                   doctor.LevelWarn, "spaces of worker IDs": doctor.LevelNote,
	}, m.levels(), "%+v", m)
	require.Equal(t, "Primary, wsrep_ready ON", m["wsrep_cluster_status"].Value)
	require.Equal(t, "Synced", m["wsrep_local_state_comment"].Value)
	require.Equal(t, "3", m["wsrep_cluster_size"].Value)
	require.Equal(t, "Galera", m["replication"].Value)
	require.Equal(t, doctor.LevelError, checked(t, db, doctor.Config{Never: true})["Galera's durability"].Level)

	odd := opening(t, "mysql", first.Source(first.Addr(0))+"&wsrep_sync_wait=1&wsrep_trx_fragment_size=100")
	m = checked(t, odd, doctor.Config{})
	require.Equal(t, doctor.LevelOK, m["wsrep_sync_wait"].Level)
	require.Equal(t, doctor.LevelWarn, m["wsrep_trx_fragment_size"].Level)

	g.Nodes[2].Kill()
	g.Nodes[1].Kill()
	require.NoError(t, first.AwaitPrimary(false))
	// A node that is cut off is not judged: it refuses all.
	_, err = doctor.Check(t.Context(), examined(db), doctor.Config{Timeout: time.Second, Logger: quiet()})
	require.ErrorContains(t, err, "gave up after 1s")
	require.ErrorContains(t, err, "1047")
}

func TestCheckPostgres(t *testing.T) {
	s := engines.NewPostgres(t)
	admin := s.Open(t)
	both(t, admin)
	m := checked(t, granted(t, s, needed[0], "GRANT SELECT ON worker_lease TO @"), doctor.Config{})
	require.Contains(t, m["grants"].Why, "lacks: INSERT on worker_lease, UPDATE on worker_lease.")
	require.Equal(t, "next ID unknown, largest ID 1", m["counter of disposable IDs"].Value, "without rights")

	engines.Do(t, admin,
		"CREATE INDEX odd ON worker_lease (lease_until)", "ALTER TABLE worker_lease RESET (fillfactor)")
	m = checked(t, admin, doctor.Config{})
	require.Equal(t, "also of lease_until", m["indexes"].Value)
	require.Equal(t, doctor.LevelNote, m["fillfactor"].Level)
	engines.Do(t, admin, m["fillfactor"].Do, "DROP INDEX odd", "CREATE INDEX odd ON worker_lease ((lease_until + 1))")
	m = checked(t, admin, doctor.Config{})
	require.Equal(t, "also of an expression", m["indexes"].Value)
	require.Equal(t, doctor.LevelOK, m["fillfactor"].Level)

	putNode(t, admin, 2)
	f := checked(t, admin, doctor.Config{})["counter of disposable IDs"]
	require.Equal(t, doctor.LevelError, f.Level, "%+v", f)
	engines.Do(t, admin, f.Do)
	require.Equal(t, doctor.LevelOK, checked(t, admin, doctor.Config{})["counter of disposable IDs"].Level)

	for param, want := range map[string]struct {
		what  string
		level doctor.Level
	}{
		"synchronous_commit=off":                     {"synchronous_commit", doctor.LevelError},
		"default_transaction_isolation=serializable": {"isolation", doctor.LevelNote},
		"default_transaction_read_only=on":           {"writable", doctor.LevelError},
	} {
		f := checked(t, opening(t, "pgx", s.Source+"&"+param), doctor.Config{})[want.what]
		require.Equal(t, want.level, f.Level, "%+v", f)
	}
}

func TestCheckOfOtherPairs(t *testing.T) {
	for _, c := range []struct {
		asked, driver string
		start         func(name string, options ...string) (*cluster.Pair, error)
		source        func(p *cluster.Pair) string
	}{
		{"mysql9", "mysql", cluster.StartMySQL9Pair, func(p *cluster.Pair) string { return p.MySQL().DSN("uid") }},
		{"postgres", "pgx", cluster.StartPostgresPair, func(p *cluster.Pair) string { return p.URL(p.Addr()) }},
	} {
		t.Run(c.asked, func(t *testing.T) {
			engines.Needs(t, c.asked)
			p, err := c.start("check")
			cluster.For(t, p, err)
			of := func() findings { return checked(t, opening(t, c.driver, c.source(p)), doctor.Config{}) }
			both(t, opening(t, c.driver, c.source(p)))
			require.NoError(t, p.CatchUp())
			comes(t, of, "replication", doctor.LevelWarn, "1 connected, asynchronous")
			require.NoError(t, p.Failover())
			m := of()
			require.Equal(t, "yes", m["writable"].Value)
			require.Contains(t, []string{"", "no"}, m["replica"].Value)
		})
	}
}

// A column is judged by the type that a domain stands for, and no type of others is taken for one of PostgreSQL's.
func TestColumnsOfPostgres(t *testing.T) {
	// A prepared query fails once when a type changes.
	db := opening(t, "pgx", engines.NewPostgres(t).Source+"&default_query_exec_mode=exec")
	owner := tenantOf(t, db)
	draw(t, owner.segments, "orders")
	engines.Do(t, db, "ALTER TABLE leaf_alloc ALTER COLUMN max_id TYPE INT")
	_, err := owner.segments.Inspect(t.Context())
	logtest.Error(t, err, uid.ErrConfig, "column max_id is of type integer")
	err = owner.segments.Change(t.Context(), "orders", func(r *storage.Segment) error { r.Next = 1 << 31; return nil })
	require.ErrorContains(t, err, "22003")
	engines.Do(t, db, "DELETE FROM worker_lease", "CREATE TYPE long_text AS ENUM ('x')",
		"CREATE DOMAIN wide AS VARCHAR(200)", "CREATE DOMAIN narrow AS VARCHAR(10)")
	for kind, says := range map[string]string{
		"VARCHAR(127)": "column HOLDER holds 127 characters", "VARCHAR(128)": "", "TEXT": "", "wide": "",
		"narrow": "column HOLDER holds 10 characters", "long_text": "column HOLDER is of type not known",
	} {
		engines.Do(t, db, "ALTER TABLE worker_lease ALTER holder TYPE "+kind+
			" USING CAST(CAST(holder AS TEXT) AS "+kind+")")
		if says == "" {
			inspected(t, owner)
			continue
		}
		_, err := owner.Inspect(t.Context())
		logtest.Error(t, err, uid.ErrConfig, says)
	}
}
