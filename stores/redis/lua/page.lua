-- Reads the namespace and the rows of the next IDs.
-- KEYS: namespace, rows, ends, ids. ARGV: the ID before, how many at most.
local above = string.sub(ARGV[1], 1, 1) == '-' and '-' or '(' .. padded(ARGV[1])
local ids = redis.call('ZRANGEBYLEX', KEYS[4], above, '+', 'LIMIT', 0, ARGV[2])
local rows = {}
for _, id in ipairs(ids) do
  id = plain(id)
  rows[#rows + 1] = id
  rows[#rows + 1] = redis.call('HGET', KEYS[2], id)
end
return {history, time[1], time[2], redis.call('GET', KEYS[1]), rows}
