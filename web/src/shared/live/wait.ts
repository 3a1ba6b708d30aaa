/** After a deploy everybody's line ends at the same moment. */
const spread = 3_000;

/** A line that ends after it had stood is opened again soon, one that fails less and less often. */
export function waitBefore(failures: number, refused: boolean, random = Math.random): number {
  if (!refused && failures === 0) return spread * random();
  // Without a session the sign-in decides; should the server still know it, the line comes back.
  const longest = refused ? 30_000 : Math.min(30_000, 500 * 2 ** failures);
  // Spread, so that a server that comes back is not met by everybody at the same moment.
  return longest * (0.5 + random() / 2);
}

/** Waits, unless it is aborted or `onReady`'s function is called. */
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
