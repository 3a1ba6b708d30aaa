const channel =
  typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("hourmeter-session");

/** A logout on a shared phone must end the session in all tabs. */
export function announceLogout(userId: string): void {
  channel?.postMessage(userId);
}

/** Returns a function that removes the listener. */
export function onLogoutElsewhere(listener: (userId: unknown) => void): () => void {
  const hear = ({ data }: MessageEvent<unknown>) => listener(data);
  channel?.addEventListener("message", hear);
  return () => channel?.removeEventListener("message", hear);
}
