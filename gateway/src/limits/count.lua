-- Counts once more in a fixed window. KEYS[1]; ARGV: times, seconds, now.
-- Answers 0, or the seconds to wait when the window is full.
local times, seconds, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local kept = redis.call('HMGET', KEYS[1], 'began', 'count')
local began, count = tonumber(kept[1]), tonumber(kept[2])
if not began or count <= 0 or now < began or now >= began + seconds then
  began, count = now, 0
end
if count >= times then
  return began + seconds - now
end
redis.call('HSET', KEYS[1], 'began', began, 'count', count + 1)
redis.call('EXPIRE', KEYS[1], seconds + 60)
return 0
