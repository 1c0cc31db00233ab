-- Reads what the server says of itself, and which of the commands that leases use this account may not run.
-- KEYS: namespace, rows, ids; or any other, and it looks at no rights.
local refused = {}
if redis.acl_check_cmd and #KEYS == 3 then -- from version 7 on
  for _, command in ipairs({
    {'GET', KEYS[1]}, {'SET', KEYS[1], 'x'}, {'HGET', KEYS[2], '0'}, {'HSET', KEYS[2], '0', 'x'},
    {'ZADD', KEYS[3], '0', '0'}, {'ZCARD', KEYS[3]}, {'ZRANGEBYLEX', KEYS[3], '-', '+'},
  }) do
    if not redis.acl_check_cmd(unpack(command)) then
      refused[#refused + 1] = string.lower(command[1])
    end
  end
end
return {
  history, time[1], time[2], refused, redis.acl_check_cmd and 1 or 0,
  redis.call('INFO', 'server') .. redis.call('INFO', 'persistence') .. redis.call('INFO', 'memory') .. replication .. redis.call('INFO', 'cluster'),
}
