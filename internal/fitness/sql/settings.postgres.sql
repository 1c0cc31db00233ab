SELECT name, COALESCE(CURRENT_SETTING(name, TRUE), '') FROM UNNEST(ARRAY['server_version',
'fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'wal_level',
'default_transaction_isolation', 'default_transaction_read_only', 'idle_in_transaction_session_timeout']) name
UNION ALL SELECT 'standby', CAST(PG_IS_IN_RECOVERY() AS TEXT)
