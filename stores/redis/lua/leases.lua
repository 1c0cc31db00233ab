-- Writes a namespace and rows if all that was read is still there: all of them, or nothing. Else, or
-- with nothing to write, it reads.
-- KEYS: namespace, rows, ids. ARGV: the history that was read; lists of what was read, and of what is to
-- be written, in pairs of an ID of 19 digits, '' for the namespace, and a text, '' where there is none; a
-- list of IDs to read; a list of ranges of them, each the first, the last and how many at most.
local function get(id)
  return (id == '' and redis.call('GET', KEYS[1]) or id ~= '' and redis.call('HGET', KEYS[2], id)) or ''
end

at = 2
local from, to = list()
-- After a crash or a failover everything may look as it was read, though it was written and lost since.
local same = history == ARGV[1]
for i = from, to, 2 do
  same = same and get(ARGV[i]) == ARGV[i + 1]
end
from, to = list()
if same and from < to then
  -- Redis does not undo what a script did before an error: this one comes before anything is written.
  redis.call('ZCARD', KEYS[3])
  for i = from, to, 2 do
    if ARGV[i] == '' then
      redis.call('SET', KEYS[1], ARGV[i + 1])
    else
      redis.call('ZADD', KEYS[3], '0', ARGV[i])
      redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
    end
  end
  return 'stored'
end

local records, pages = {}, {}
from, to = list()
for i = from, to do
  records[#records + 1] = get(ARGV[i])
end
from, to = list()
for i = from, to, 3 do
  local page = {}
  for _, id in ipairs(redis.call('ZRANGEBYLEX', KEYS[3], '[' .. ARGV[i], '[' .. ARGV[i + 1], 'LIMIT', 0, ARGV[i + 2])) do
    page[#page + 1] = id
    page[#page + 1] = get(id)
  end
  pages[#pages + 1] = page
end
return {history, time[1], time[2], records, pages}
