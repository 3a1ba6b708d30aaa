-- Notes that something runs. KEYS[1]; ARGV: its id, seconds after which it is taken for lost.
-- Answers how much runs, this included. By the clock of Redis, the same for all.
local lost = tonumber(ARGV[2])
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - lost)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('EXPIRE', KEYS[1], lost)
return redis.call('ZCARD', KEYS[1])
