-- Writes the counter and the row of a tag if both are still as they were read. Else it reads them
-- anew, as segment.lua does.
-- KEYS: counter, row. ARGV: the history that was read; the counter and the row as they were read,
-- '' for one that was not there; the counter and the row to write.
local counter, row = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])
local raced = {history, time[1], time[2], counter, row}

-- No two writes are alike; see write.lua. Others may have drawn from the counter since.
if row == ARGV[5] then
  return 'stored'
end

-- After a crash or a failover everything may look as it was read, though it was written and lost since.
if history ~= ARGV[1] then
  return raced
end
-- Texts are compared: Lua's numbers would take 9007199254740993 for 9007199254740992.
if (counter or '') ~= ARGV[2] then
  return raced
end
if (row or '') ~= ARGV[3] then
  return raced
end

-- Both or none: whatever fails fails before either is written. It takes away a time to live.
redis.call('MSET', KEYS[1], ARGV[4], KEYS[2], ARGV[5])
return 'stored'
