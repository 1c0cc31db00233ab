-- Writes a namespace and rows if all that was read is still there: all of them, or nothing.
-- KEYS: namespace, rows, ends, ids. ARGV: the history that was read; the namespace as it was read,
-- '' if there was none, '-' if that does not matter; the namespace to write, '' if it stays; then
-- for each row its ID, the row as it was read, '' if there was none, the row to write, and the end of
-- its lease.
local namespace = redis.call('GET', KEYS[1]) or ''
local present = {}
for i = 4, #ARGV, 4 do
  present[i] = redis.call('HGET', KEYS[2], ARGV[i]) or ''
end

-- No two writes are alike. Finding one of this one's means that it was carried out before, and that
-- the reply was lost.
if ARGV[3] ~= '' and namespace == ARGV[3] then
  return 'stored'
end
for i, row in pairs(present) do
  if row == ARGV[i + 2] then
    return 'stored'
  end
end

-- After a crash or a failover everything may look as it was read, though it was written and lost since.
if history ~= ARGV[1] then
  return 'raced'
end
if ARGV[2] ~= '-' and namespace ~= ARGV[2] then
  return 'raced'
end
for i, row in pairs(present) do
  if row ~= ARGV[i + 1] then
    return 'raced'
  end
end

-- Redis does not undo what a script did before an error. These fail before anything is written.
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[4])
for i = 4, #ARGV, 4 do
  redis.call('ZADD', KEYS[3], ARGV[i + 3], padded(ARGV[i]))
  redis.call('ZADD', KEYS[4], '0', padded(ARGV[i]))
end
if ARGV[3] ~= '' then
  redis.call('SET', KEYS[1], ARGV[3])
end
for i = 4, #ARGV, 4 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
end
return 'stored'
