SELECT 'SUPERUSER', FALSE, 'on all databases' FROM pg_roles WHERE rolname = current_user AND rolsuper
UNION ALL
SELECT p, FALSE, 'on ' || t FROM unnest(ARRAY['{nodes}', '{leases}']) t,
unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p
WHERE has_table_privilege(to_regclass(quote_ident(t)), p)
