-- A replica is at work: notes the time, and the outage that ends with it if the last note is too old.
-- KEYS: beat, outages. ARGV: the longest time between two notes in ms, how long outages are kept in ms.
-- Returns the time in ms since 1970, then "START END" of each outage, in their order.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[1]) or now)
if now - last > tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[2], now, string.format('%.0f %.0f', last, now))
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[2])
end
redis.call('SET', KEYS[1], string.format('%.0f', now))
local outages = redis.call('ZRANGE', KEYS[2], 0, -1)
table.insert(outages, 1, now)
return outages
