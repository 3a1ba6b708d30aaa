-- How many in a row, this one included. KEYS[1]; ARGV: quiet seconds after which it begins anew, now.
local quiet, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'began', 'count')
local last, count = tonumber(kept[1]), tonumber(kept[2])
if not last or now >= last + quiet then
  count = 0
end
redis.call('HSET', KEYS[1], 'began', now, 'count', count + 1)
redis.call('EXPIRE', KEYS[1], quiet + 60)
return count + 1
