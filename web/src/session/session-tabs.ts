const channel =
  typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("hourmeter-session");

/** Whoever signs out on a phone that goes around has left all of its tabs. */
export function announceLogout(userId: string): void {
  channel?.postMessage(userId);
}

/** Answers how to stop listening. */
export function onLogoutElsewhere(listener: (userId: unknown) => void): () => void {
  const hear = ({ data }: MessageEvent<unknown>) => listener(data);
  channel?.addEventListener("message", hear);
  return () => channel?.removeEventListener("message", hear);
}
