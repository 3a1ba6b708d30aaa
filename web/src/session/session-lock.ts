const lockName = "hourmeter-session";

/** Longer than one call on a good line; whoever signs in must not wait for a dead one. */
const patienceMs = 4_000;

/** Whether all tabs of this browser can be made to wait for one another: on https and localhost. */
const canLock = () => "locks" in navigator;

/**
 * Runs `work` while nobody signs in or out in this browser: the person it is done for is the one
 * whose cookie goes with its calls.
 */
export async function whileNobodySigns<T>(work: () => Promise<T>): Promise<T> {
  if (!canLock()) return work();
  return navigator.locks.request(lockName, { mode: "shared" }, work);
}

/** Runs a call that changes the session cookie, when no call that relies on it is under way. */
export async function signing<T>(work: () => Promise<T>): Promise<T> {
  if (!canLock()) return work();
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patienceMs);
  let begun = false;
  try {
    return await navigator.locks.request(lockName, { signal: patience.signal }, () => {
      begun = true;
      clearTimeout(timer);
      return work();
    });
  } catch (error) {
    if (begun) throw error;
    return work();
  } finally {
    clearTimeout(timer);
  }
}
