package fitness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

// sound are the variables of a server on which all is as it should be.
var sound = settings{
	"version": "8.0.36", "tx_isolation": "REPEATABLE-READ", "log_bin": "ON", "sync_binlog": "1", "wsrep_on": "OFF",
	"auto_increment_increment": "1", "auto_increment_offset": "1", "innodb_flush_log_at_trx_commit": "1",
}

// One thing each.
func TestSettingsOfMySQL(t *testing.T) {
	const flush, tidb = "innodb_flush_log_at_trx_commit", "8.0.11-TiDB-v8.1.0"
	for _, tt := range []struct {
		vars settings
		what string
		want doctor.Level
		says string
	}{
		{nil, "server", ok, "MySQL 8.0.36"},
		{settings{"version": "9.1.0-log"}, "server", ok, "MySQL 9.1.0"},
		{settings{"version": "5.7.44-log"}, "server", warn, "MySQL 5.7.44"},
		{settings{"version": "5.6.51"}, "server", warn, ""},
		{settings{"version": "10.11.19-MariaDB-0+deb12u1"}, "server", ok, "MariaDB 10.11.19"},
		{settings{"version": "10.2.4-MariaDB"}, "server", ok, ""},
		{settings{"version": "10.2.3-MariaDB"}, "server", warn, ""},
		{settings{"version": "10.1.48-MariaDB"}, "server", warn, ""},
		{settings{"version": "11.4.2-MariaDB"}, "server", ok, ""},
		{settings{"version": tidb}, "server", ok, "TiDB"},
		{nil, "isolation", ok, "REPEATABLE-READ"},
		{settings{"transaction_isolation": "READ-COMMITTED"}, "isolation", ok, "READ-COMMITTED"},
		{settings{"tx_isolation": "READ-COMMITTED", "binlog_format": "MIXED"}, "isolation", ok, ""},
		{settings{"tx_isolation": "READ-COMMITTED", "log_bin": "OFF", "binlog_format": "STATEMENT"},
			"isolation", ok, ""},
		{settings{"tx_isolation": "READ-COMMITTED", "binlog_format": "STATEMENT"}, "isolation", bad, "STATEMENT"},
		{settings{"tx_isolation": "READ-UNCOMMITTED"}, "isolation", warn, ""},
		{settings{"transaction_isolation": "SERIALIZABLE"}, "isolation", note, ""},
		{nil, "auto_increment_increment", ok, "1, offset 1"},
		{settings{"auto_increment_increment": "7"}, "auto_increment_increment", warn, "7, offset 1"},
		{settings{flush: "1"}, flush, ok, "1"},
		{settings{flush: "3"}, flush, ok, "3"},
		{settings{flush: "0"}, flush, crash, "of the server"},
		{settings{flush: "2"}, flush, crash, "of the machine"},
		{settings{"version": tidb, flush: "0"}, flush, "", ""},
		{settings{"sync_binlog": "0"}, "sync_binlog", crash, "0, not 1, and there is a binary log"},
		{settings{"log_bin": "1", "sync_binlog": "1000"}, "sync_binlog", crash, ""},
		{settings{"log_bin": "OFF", "sync_binlog": "0"}, "sync_binlog", "", ""},
	} {
		s := &server{vars: sound.with(tt.vars)}
		checkRows(t, s.sessionRows(true), tt.what, tt.want, tt.says)
	}
	checkRows(t, (&server{vars: sound.with(settings{"auto_increment_increment": "7"})}).sessionRows(false),
		"auto_increment_increment", note)
	for _, f := range doctor.Judge(append((&server{}).sessionRows(true), postgresRows(nil, nil)...)...) {
		require.NotContains(t, []doctor.Level{crash, damage, takeover}, f.Level,
			"of a server that tells nothing: %+v", f)
	}
}

func TestIDCache(t *testing.T) {
	const create = "CREATE TABLE `WORKER_NODE` (\n" +
		"  `ID` bigint(20) NOT NULL AUTO_INCREMENT,\n  PRIMARY KEY (`ID`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	for rest, want := range map[string]doctor.Level{
		"": warn, " /*T![auto_id_cache] AUTO_ID_CACHE=1 */": ok, " AUTO_ID_CACHE=1": ok,
		" /*T![auto_id_cache] AUTO_ID_CACHE=100 */": warn,
	} {
		checkRows(t, idCacheRows(create+rest+" ", "WORKER_NODE"), "AUTO_ID_CACHE", want)
	}
}
