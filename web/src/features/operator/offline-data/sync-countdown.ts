import { useSyncExternalStore } from "react";

function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1000);
  return () => clearInterval(timer);
}

const never = () => () => undefined;
const second = () => Math.floor(Date.now() / 1000);

/** Whole seconds until `time`, counting down. Null without a time or after it. */
export function useSecondsTo(time: Date | null): number | null {
  const now = useSyncExternalStore(time ? everySecond : never, second);
  if (!time) return null;
  const left = Math.ceil(time.getTime() / 1000) - now;
  return left > 0 ? left : null;
}
