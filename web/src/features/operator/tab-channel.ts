/** Tells the other tabs that the list changed. They read it from the store; nothing else is passed on. */
export function tabChannel(name: string) {
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
  return {
    announce: () => channel?.postMessage(null),
    onChange(listener: () => void): () => void {
      channel?.addEventListener("message", listener);
      return () => channel?.removeEventListener("message", listener);
    },
  };
}
