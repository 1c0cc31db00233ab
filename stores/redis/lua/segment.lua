-- Writes the counter and the row of a tag if both are still as they were read. Else, or with nothing to
-- write, it reads them.
-- KEYS: counter, row. ARGV: the history that was read; the counter and the row as they were read, '' for one
-- that was not there; the counter and the row to write.
local counter, row = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])

-- Texts are compared: Lua's numbers would take 9007199254740993 for 9007199254740992. The counter may be
-- another since the write was carried out: others draw from it.
if ARGV[5] and row == ARGV[5] then
  return 'stored'
end
if ARGV[1] == history and (counter or '') == ARGV[2] and (row or '') == ARGV[3] then
  -- Both or none: whatever fails fails before either is written. It takes away a time to live.
  redis.call('MSET', KEYS[1], ARGV[4], KEYS[2], ARGV[5])
  return 'stored'
end
return {history, time[1], time[2], counter, row}
