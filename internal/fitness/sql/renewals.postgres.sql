SELECT 'indexes', COALESCE(string_agg(DISTINCT COALESCE(a.attname, 'an expression'), ', '), '')
FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) AS k(attnum)
LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
WHERE i.indrelid = CAST('"{leases}"' AS regclass) AND LOWER(COALESCE(a.attname, '')) NOT IN ('namespace', 'worker_id')
UNION ALL
SELECT 'fillfactor',
COALESCE((SELECT option_value FROM pg_options_to_table(c.reloptions) WHERE option_name = 'fillfactor'), '100')
FROM pg_class c WHERE c.oid = CAST('"{leases}"' AS regclass)
