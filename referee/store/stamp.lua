-- Sets a field of a match to the time, if there is something in it. KEYS: the match. ARGV: the field.
-- Returns {the time in ms since 1970}, or {}.
local standing = redis.call('HGET', KEYS[1], ARGV[1])
if not standing or standing == '' then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now))
return {now}
