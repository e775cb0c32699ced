-- Puts members on the roll, behind all who are on it. KEYS: the roll. ARGV: the members.
-- Returns {their place}: the time in ms since 1970, or later.
local time = redis.call('TIME')
local place = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
if last[2] then place = math.max(place, tonumber(last[2])) end
for _, member in ipairs(ARGV) do redis.call('ZADD', KEYS[1], place, member) end
return {place}
