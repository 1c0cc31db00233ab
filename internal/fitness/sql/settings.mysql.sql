SHOW VARIABLES WHERE
Variable_name RLIKE '^(version|log_bin|sync_binlog|binlog_format|innodb_flush_log_at_trx_commit)$' OR
Variable_name RLIKE '^(auto_increment_(increment|offset)|(transaction|tx)_isolation)$' OR
Variable_name RLIKE '^((super_|innodb_|transaction_|tx_)?read_only|wsrep_(on|sync_wait|trx_fragment_size))$' OR
Variable_name RLIKE '^group_replication_(group_name|single_primary_mode)$' OR
Variable_name RLIKE '^rpl_semi_sync_(master_wait_for_slave|source_wait_for_replica)_count$'
