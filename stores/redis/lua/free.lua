-- Reads the namespace and what a Take can choose from: rows that are over, the longest first, and the highest
-- ID that has a row.
-- KEYS: namespace, rows, ends, ids. ARGV: first and last worker ID, for how many microseconds
-- rows have to be over, how many choices to skip, how many rows to return at most.
--
-- Ends are doubles. Those after the year 2255 are rounded, which changes no more than the order.
local namespace = redis.call('GET', KEYS[1])
if not namespace then
  return {history, time[1], time[2], false}
end
local first, last = padded(ARGV[1]), padded(ARGV[2])
local from, to = string.match(namespace, '"first":(%d+),"last":(%d+)')
if not from then
  return {history, time[1], time[2], namespace}
end
if to ~= '0' then -- else it has all
  from, to = padded(from), padded(to)
  first, last = from > first and from or first, to < last and to or last
end
local skip, most = tonumber(ARGV[4]), tonumber(ARGV[5])
local before = '(' .. string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]) - tonumber(ARGV[3]))

-- over returns rows, and whether there is none besides. It goes round once, from the one to skip to.
local function over()
  local rows, n = {}, redis.call('ZCOUNT', KEYS[3], '-inf', before)
  local seen, at = 0, n > 0 and skip % n or 0
  while seen < n do
    local ids = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', before, 'LIMIT', at, math.min(100, n - at))
    for _, id in ipairs(ids) do
      if seen == n then
        return rows, true
      end
      seen = seen + 1
      if first <= id and id <= last then
        if #rows == 2 * most then
          return rows, false
        end
        rows[#rows + 1] = plain(id)
        rows[#rows + 1] = redis.call('HGET', KEYS[2], plain(id))
      end
    end
    at = (at + #ids) % n
  end
  return rows, true
end

local rows, all = over()
return {history, time[1], time[2], namespace, rows, all and 1 or 0, top()}
