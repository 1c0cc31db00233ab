-- Reads tags in the order of their bytes.
-- KEYS: tags. ARGV: the tag before, '' to begin with the first; how many at most.
local above = ARGV[1] == '' and '-' or '(' .. ARGV[1]
return {history, time[1], time[2], redis.call('ZRANGEBYLEX', KEYS[1], above, '+', 'LIMIT', 0, ARGV[2])}
