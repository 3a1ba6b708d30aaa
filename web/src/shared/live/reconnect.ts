/** After a deploy, all streams end at the same moment. */
const reconnectSpreadMs = 3_000;

/**
 * The delay before reconnecting: short after a stable stream, growing with consecutive failures.
 */
export function reconnectDelay(failures: number, refused: boolean, random = Math.random): number {
  if (!refused && failures === 0) return reconnectSpreadMs * random();
  // A 401 usually ends the session; if the session is still valid, the stream reconnects.
  const longest = refused ? 30_000 : Math.min(30_000, 500 * 2 ** failures);
  // Jitter, so that clients don't reconnect to a recovering server all at once.
  return longest * (0.5 + random() / 2);
}

/**
 * Waits until the time is over, the signal aborts or the function passed to `onReady` is called.
 */
export function pause(
  milliseconds: number,
  signal: AbortSignal,
  onReady: (now: () => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
    onReady(done);
  });
}
