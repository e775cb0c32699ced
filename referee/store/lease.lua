-- Takes or renews a lease. KEYS: the lease. ARGV: the holder, its length in ms.
-- Returns {now in ms since 1970}, or {} if somebody else holds it.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return {} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local time = redis.call('TIME')
return {time[1] * 1000 + math.floor(time[2] / 1000)}
