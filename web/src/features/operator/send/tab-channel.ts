/** Notifies other tabs that stored data changed. They read it from the device. */
export function tabChannel<Note = null>(name: string, read: (data: unknown) => Note) {
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
  return {
    announce: (note: Note) => channel?.postMessage(note),
    onChange: (listener: (note: Note) => void): (() => void) => {
      const onMessage = ({ data }: MessageEvent<unknown>) => listener(read(data));
      channel?.addEventListener("message", onMessage);
      return () => channel?.removeEventListener("message", onMessage);
    },
  };
}

/** A tab channel without message content. */
export function plainChannel(name: string) {
  const { announce, onChange } = tabChannel(name, () => null);
  return { announce: () => announce(null), onChange };
}
