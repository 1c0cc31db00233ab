-- Reads the namespace and the row of a worker ID.
-- KEYS: namespace, rows. ARGV: worker ID.
return {history, time[1], time[2], redis.call('GET', KEYS[1]), redis.call('HGET', KEYS[2], ARGV[1])}
