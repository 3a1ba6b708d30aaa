-- Counts a failure of a name. KEYS[1]; ARGV: free failures, seconds they count, first wait, longest
-- wait, now. Answers 0, or the seconds it still has to wait.
local free, seconds = tonumber(ARGV[1]), tonumber(ARGV[2])
local first, longest, now = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local kept = redis.call('HMGET', KEYS[1], 'began', 'failures', 'wait', 'until')
local began, failures = tonumber(kept[1]) or 0, tonumber(kept[2]) or 0
local wait, blocked_until = tonumber(kept[3]) or 0, tonumber(kept[4]) or 0
if now < blocked_until then
  return blocked_until - now
end
if now >= math.max(began, blocked_until) + seconds then
  failures, wait, blocked_until = 0, 0, 0
end
if failures == 0 then
  began = now
end
failures = failures + 1
if failures >= free then
  wait = math.min(math.max(wait * 2, first), longest)
  blocked_until = now + wait
end
redis.call('HSET', KEYS[1], 'began', began, 'failures', failures, 'wait', wait, 'until', blocked_until)
redis.call('EXPIRE', KEYS[1], seconds + longest + 60)
return 0
