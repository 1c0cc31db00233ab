SELECT UPPER(a.attname),
CASE y.typnamespace WHEN CAST('pg_catalog' AS REGNAMESPACE) THEN format_type(y.oid, NULL) ELSE 'not known' END,
CAST(information_schema._pg_char_max_length(y.oid,
CASE WHEN d.typtype = 'd' THEN d.typtypmod ELSE a.atttypmod END) AS BIGINT),
CAST((SELECT collname FROM pg_collation WHERE oid = a.attcollation) AS VARCHAR),
EXISTS (SELECT 1 FROM pg_index i
WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
NOT a.attnotnull OR a.atthasdef OR a.attidentity <> '',
a.attidentity <> '' OR EXISTS (SELECT 1 FROM pg_attrdef f WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum
AND pg_get_expr(f.adbin, f.adrelid) LIKE 'nextval(%'), '',
t.relpersistence = 't', EXISTS (SELECT 1 FROM pg_class r
WHERE r.relpersistence = 'u' AND (r.oid = t.oid OR r.relkind IN ('r', 'p', 'S') AND r.oid IN
(SELECT d.objid FROM pg_depend d
WHERE d.refobjid = t.oid AND d.refclassid = t.tableoid AND d.classid = t.tableoid AND d.deptype IN ('a', 'i'))))
FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid JOIN pg_type d ON d.oid = a.atttypid
JOIN pg_type y ON y.oid = CASE d.typtype WHEN 'd' THEN d.typbasetype ELSE d.oid END
WHERE t.relname = '{table}' AND pg_table_is_visible(t.oid) AND a.attnum > 0 AND NOT a.attisdropped
AND (pg_has_role(t.relowner, 'USAGE')
OR has_column_privilege(t.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES')) ORDER BY a.attnum
