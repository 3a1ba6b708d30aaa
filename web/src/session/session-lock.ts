const lockName = "hourmeter-session";

/** Longer than one call on a good line; whoever signs in must not wait for a dead one. */
const patienceMs = 4_000;

/**
 * Runs a call that changes the session cookie while no other tab makes one: on https and localhost,
 * where tabs can wait for one another.
 */
export async function signing<T>(work: () => Promise<T>): Promise<T> {
  if (!("locks" in navigator)) return work();
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
