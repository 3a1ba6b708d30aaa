-- Takes the last failure of a name back.
local kept = redis.call('HMGET', KEYS[1], 'failures', 'wait')
local failures = tonumber(kept[1])
if failures then
  local wait = math.floor((tonumber(kept[2]) or 0) / 2)
  redis.call('HSET', KEYS[1], 'failures', math.max(failures - 1, 0), 'wait', wait, 'until', 0)
end
return 0
