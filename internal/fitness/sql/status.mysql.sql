SHOW STATUS WHERE
Variable_name RLIKE '^(slaves_(connected|running)|rpl_semi_sync_(master|source)_(status|clients))$' OR
Variable_name RLIKE '^wsrep_(connected|ready|cluster_(status|size)|local_(state_comment|cert_failures|bf_aborts))$'
