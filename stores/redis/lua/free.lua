-- Reads the namespace and what a Take can choose from: rows that are over, the longest first; an
-- ID without a row; and if there is neither, the row that is over next.
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
if first > last then
  return {history, time[1], time[2], namespace}
end
local skip, most = tonumber(ARGV[4]), tonumber(ARGV[5])
local before = '(' .. string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]) - tonumber(ARGV[3]))

local function wanted(id)
  id = padded(id)
  return first <= id and id <= last
end

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
      if wanted(id) then
        if #rows == 2 * most then
          return rows, false
        end
        rows[#rows + 1] = id
        rows[#rows + 1] = redis.call('HGET', KEYS[2], id)
      end
    end
    at = (at + #ids) % n
  end
  return rows, true
end

-- plus and distance calculate with padded IDs, nine digits at a time.
local function plus(id, n)
  local low = tonumber(string.sub(id, 11)) + n % 1e9
  local high = tonumber(string.sub(id, 1, 10)) + math.floor(n / 1e9) + math.floor(low / 1e9)
  return string.format('%010.0f%09.0f', high, low % 1e9)
end
local function distance(a, b)
  local high = tonumber(string.sub(b, 1, 10)) - tonumber(string.sub(a, 1, 10))
  return high * 1e9 + tonumber(string.sub(b, 11)) - tonumber(string.sub(a, 11))
end

-- unused returns an ID without a row: one above all rows, or one in a gap.
local function unused()
  local top = redis.call('ZREVRANGEBYLEX', KEYS[4], '[' .. last, '[' .. first, 'LIMIT', 0, 1)[1]
  if top ~= last then
    local above = top and plus(top, 1) or first
    return plain(plus(above, skip % (distance(above, last) + 1)))
  end
  -- The first 2^52 IDs will do: no server has as many rows.
  local count = math.min(distance(first, last) + 1, 2 ^ 52)
  local function gaps(n) -- among the first n IDs
    return n - redis.call('ZLEXCOUNT', KEYS[4], '[' .. first, '[' .. plus(first, n - 1))
  end
  local all = gaps(count)
  if all == 0 then
    return false
  end
  local nth, low, high = skip % all + 1, 1, count
  while low < high do
    local middle = math.floor((low + high) / 2)
    if gaps(middle) >= nth then
      high = middle
    else
      low = middle + 1
    end
  end
  return plain(plus(first, low - 1))
end

-- soonest returns the row that is over next.
local function soonest()
  local at = 0
  while true do
    local ids = redis.call('ZRANGE', KEYS[3], at, at + 99)
    for _, id in ipairs(ids) do
      if wanted(id) then
        return {id, redis.call('HGET', KEYS[2], id)}
      end
    end
    if #ids == 0 then
      return false
    end
    at = at + #ids
  end
end

local rows, all = over()
local fresh = unused()
local coming = #rows == 0 and not fresh and soonest()
return {history, time[1], time[2], namespace, rows, all and 1 or 0, fresh, coming}
