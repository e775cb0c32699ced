-- One write of a match: compare, then change everything at once.
-- KEYS: match, log, listing, expiry, deadlines, then the inboxes that hold the match, then those that it leaves.
-- ARGV: expected header ('' to create), format and new revision (9 bytes), write id (8 bytes), match id, channel ('' tells nobody),
--       length of the log before, lifetime in ms, number of inboxes that hold the match, of fields, of summoned principals,
--       not after (ms since 1970; '' is any time), deadline ('' leaves it, '-' is none), deadline in ms from now, whether the
--       listing shows the match ('1' or ''), number of fields that must stand, then name and value of each of those, then of each
--       field that is written, then the channels of the summoned, then the entries.
-- Returns {1, header} when written, {0, name, value, ...} with what stands there instead, {2} if nothing does, or
-- {3, now} if it is too late.
local expected, revision, write_id, id, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local before, lifetime, inboxes = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local first_field = 16 + 2 * ARGV[15]
local first_summoned = first_field + 2 * ARGV[9]
local first_entry = first_summoned + ARGV[10]

local header = redis.call('HGET', KEYS[1], 'header') or ''
local stands = header == expected
for place = 16, first_field - 1, 2 do
  stands = stands and (redis.call('HGET', KEYS[1], ARGV[place]) or '') == ARGV[place + 1]
end
if not stands then
  if header == '' then return {2} end
  local found = redis.call('HGETALL', KEYS[1])
  table.insert(found, 1, 0)
  return found
end

-- Whatever could fail is read before the first write: nothing is rolled back after it.
local length = redis.call('LLEN', KEYS[2])
if length ~= before then
  return redis.error_reply('LOGLENGTH ' .. KEYS[2] .. ' has ' .. length .. ' entries, expected ' .. before)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[11] ~= '' and now > tonumber(ARGV[11]) then return {3, now} end
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[5])
local expired = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, 8)
local created = header == '' and struct.pack('>I8', now) or string.sub(header, 18, 25)
local mail = string.format('%014x', struct.unpack('>I8', created)) .. id
local stale = {}
for place = 6, 5 + inboxes do
  local forget = redis.call('ZSCORE', KEYS[place], mail)
  if not forget or tonumber(forget) < now + lifetime * 1.5 then stale[#stale + 1] = KEYS[place] end
end
for place = 6 + inboxes, #KEYS do redis.call('ZCARD', KEYS[place]) end

local committed = string.sub(header, 26, 33)
if header == '' or #ARGV >= first_entry then committed = struct.pack('>I8', now) end
local written = revision .. write_id .. created .. committed
redis.call('HSET', KEYS[1], 'header', written, unpack(ARGV, first_field, first_summoned - 1))
redis.call('PEXPIRE', KEYS[1], lifetime)
for place = first_entry, #ARGV do
  redis.call('RPUSH', KEYS[2], committed .. ARGV[place])
end
redis.call('PEXPIRE', KEYS[2], lifetime)
redis.call('ZADD', KEYS[4], now + lifetime, id)
if ARGV[14] == '' then
  redis.call('ZREM', KEYS[3], id) -- an id may be made again after its end
elseif header == '' then
  redis.call('ZADD', KEYS[3], now, id)
end
for _, gone in ipairs(expired) do
  if gone ~= id then
    redis.call('ZREM', KEYS[3], gone)
    redis.call('ZREM', KEYS[4], gone)
    redis.call('ZREM', KEYS[5], gone)
  end
end
for _, inbox in ipairs(stale) do
  redis.call('ZREMRANGEBYSCORE', inbox, '-inf', now)
  redis.call('ZADD', inbox, now + 2 * lifetime, mail)
  if redis.call('PTTL', inbox) < 2 * lifetime then redis.call('PEXPIRE', inbox, 2 * lifetime) end
end
for place = 6 + inboxes, #KEYS do redis.call('ZREM', KEYS[place], mail) end
if ARGV[12] == '-' then
  redis.call('ZREM', KEYS[5], id)
elseif ARGV[12] ~= '' then
  redis.call('ZADD', KEYS[5], math.min(tonumber(ARGV[12]), now + ARGV[13]), id)
end
local version = before + #ARGV - first_entry + 1
if version > before and channel ~= '' then redis.call('PUBLISH', channel, version) end
for place = first_summoned, first_entry - 1 do
  redis.call('PUBLISH', ARGV[place], id .. ' ' .. version)
end
return {1, written}
