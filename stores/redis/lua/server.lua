-- Begins every script. history names what this server has: its process and, by the replication
-- ID, the line of masters that its data comes from. A restart changes the one, a promotion the
-- other. Either may have lost writes.
local replication = redis.call('INFO', 'replication')
if string.match(replication, 'role:(%a+)') ~= 'master' then
  return redis.error_reply('READONLY this server is a replica')
end
local process = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local lineage = string.match(replication, 'master_replid:(%w+)')
if not process or not lineage then
  return redis.error_reply('NOHISTORY INFO shows no run_id or no master_replid')
end
local history = process .. ' ' .. lineage
local time = redis.call('TIME')

-- Lua counts in doubles, which hold whole numbers up to 2^53. Worker IDs can be larger: scripts
-- compare them as texts of 19 digits, as the index of IDs has them.
local function padded(id)
  return string.rep('0', 19 - #id) .. id
end
local function plain(id)
  return string.match(id, '^0*(%d+)$')
end

-- top returns the highest worker ID that has a row, -1 if none has one. KEYS: namespace, rows, ends, ids.
local function top()
  local id = redis.call('ZREVRANGEBYLEX', KEYS[4], '+', '-', 'LIMIT', 0, 1)[1]
  return id and plain(id) or '-1'
end
