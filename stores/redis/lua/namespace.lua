-- Reads the namespace, the highest ID that has a row, and if the namespace is missing the largest reach of any row.
-- KEYS: namespace, rows, ends, ids.
local namespace = redis.call('GET', KEYS[1])
local highest, reach = top(), '0'
if not namespace then
  -- As decimals: Lua's numbers do not hold all of them.
  local function larger(a, b)
    return #a > #b or #a == #b and a > b
  end
  local cursor = '0'
  repeat
    local page = redis.call('HSCAN', KEYS[2], cursor, 'COUNT', 500)
    cursor = page[1]
    for i = 2, #page[2], 2 do
      local its = string.match(page[2][i], '"reach":(%d+)')
      if not its then
        return redis.error_reply('UNREADABLE ' .. page[2][i - 1])
      end
      if larger(its, reach) then
        reach = its
      end
    end
  until cursor == '0'
end
return {history, time[1], time[2], namespace, highest, reach}
