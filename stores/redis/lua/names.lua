-- Reads the names of namespaces.
-- KEYS: names.
return {history, time[1], time[2], redis.call('SMEMBERS', KEYS[1])}
