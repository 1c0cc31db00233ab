SELECT UPPER(c.name), LOWER(c.type), NULL, NULL, c.pk > 0,
c."notnull" = 0 OR c.dflt_value IS NOT NULL,
UPPER(c.name) = 'ID' AND UPPER(COALESCE(t.sql, '')) LIKE '%AUTOINCREMENT%', '', 0, 0
FROM pragma_table_info('{table}') c LEFT JOIN sqlite_master t ON t.type = 'table' AND t.name = '{table}'
