/** Tells the other tabs that something kept on the device changed. They read it there. */
export function tabChannel<Note = null>(name: string, read: (data: unknown) => Note) {
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
  return {
    announce: (note: Note) => channel?.postMessage(note),
    onChange: (listener: (note: Note) => void): (() => void) => {
      const hear = ({ data }: MessageEvent<unknown>) => listener(read(data));
      channel?.addEventListener("message", hear);
      return () => channel?.removeEventListener("message", hear);
    },
  };
}

/** For what has no more to say than that. */
export function plainChannel(name: string) {
  const { announce, onChange } = tabChannel(name, () => null);
  return { announce: () => announce(null), onChange };
}
