const lockName = "hourmeter-session";

/**
 * Longer than one call on a good connection; a dead one in another tab must not block a sign-in.
 */
const timeoutMs = 4_000;

/**
 * Runs a call that changes the session cookie while no other tab makes such a call. Web Locks need
 * https or localhost; elsewhere it runs without a lock.
 */
export async function withExclusiveSessionLock<T>(call: () => Promise<T>): Promise<T> {
  if (!("locks" in navigator)) return call();
  const signal = AbortSignal.timeout(timeoutMs);
  let started = false;
  try {
    return await navigator.locks.request(lockName, { signal }, () => {
      started = true;
      return call();
    });
  } catch (error) {
    if (started) throw error;
    return call();
  }
}
