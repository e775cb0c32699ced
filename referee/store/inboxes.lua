-- What is in some inboxes.
-- KEYS: the inboxes.
-- Returns their members, one inbox after the other.
local found = {}
for _, inbox in ipairs(KEYS) do
  for _, mail in ipairs(redis.call('ZRANGE', inbox, 0, -1)) do found[#found + 1] = mail end
end
return found
