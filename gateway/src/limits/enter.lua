-- Notes that something runs. KEYS[1]; ARGV: its id, which begins with its process and a slash;
-- seconds after which it is taken for lost; the most that may run; what the key of a process's lease
-- begins with; the process; the seconds of its lease.
-- Answers how much runs, this included. By the clock of Redis, the same for all.
local id, lost, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local leases, process, lease = ARGV[4], ARGV[5], tonumber(ARGV[6])
local now = tonumber(redis.call('TIME')[1])
redis.call('SET', leases .. process, 1, 'EX', lease)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - lost)
redis.call('ZADD', KEYS[1], now, id)
redis.call('EXPIRE', KEYS[1], lost)
local count = redis.call('ZCARD', KEYS[1])
if count <= most then
  return count
end
local alive = {}
for _, running in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local owner = string.match(running, '^[^/]+')
  if alive[owner] == nil then
    alive[owner] = redis.call('EXISTS', leases .. owner) == 1
  end
  if not alive[owner] then
    redis.call('ZREM', KEYS[1], running)
  end
end
return redis.call('ZCARD', KEYS[1])
