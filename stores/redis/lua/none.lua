-- Reads why a Take finds nothing: the row that is over next, and which IDs have no row, up to nine ranges of them.
-- KEYS: namespace, rows, ends, ids. ARGV: first and last worker ID, all of which have to have rows.
local first, last = padded(ARGV[1]), padded(ARGV[2])

-- soonest returns the row that is over next.
local function soonest()
  local at = 0
  while true do
    local ids = redis.call('ZRANGE', KEYS[3], at, at + 99)
    for _, id in ipairs(ids) do
      if first <= id and id <= last then
        return {plain(id), redis.call('HGET', KEYS[2], plain(id))}
      end
    end
    if #ids == 0 then
      return false
    end
    at = at + #ids
  end
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

-- complete reports whether all of an ID and of the n that follow have rows.
local function complete(id, n)
  return redis.call('ZLEXCOUNT', KEYS[4], '[' .. id, '[' .. plus(id, n)) > n
end

local missing, from = {}, first
while from and from <= last and #missing < 18 do
  local low, high = 0, distance(from, last)
  if complete(from, high) then
    break
  end
  while low < high do
    local middle = math.floor((low + high) / 2)
    if complete(from, middle) then
      low = middle + 1
    else
      high = middle
    end
  end
  local gap = plus(from, low)
  from = redis.call('ZRANGEBYLEX', KEYS[4], '[' .. gap, '[' .. last, 'LIMIT', 0, 1)[1]
  missing[#missing + 1] = plain(gap)
  missing[#missing + 1] = plain(from and plus(from, -1) or last)
end
return {history, time[1], time[2], soonest(), missing}
