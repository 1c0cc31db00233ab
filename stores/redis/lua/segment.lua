-- Reads the counter and the row of a tag.
-- KEYS: counter, row.
return {history, time[1], time[2], redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])}
