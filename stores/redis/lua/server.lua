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

-- Arguments come in lists, each behind its length.
local at = 1
local function list()
  local from = at + 1
  at = from + tonumber(ARGV[at])
  return from, at - 1
end
