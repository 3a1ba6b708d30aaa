import { useEffect, useRef } from "react";

declare global {
  interface Window {
    /** Chromium's; the DOM library does not know it. */
    CloseWatcher?: new () => EventTarget & { destroy: () => void };
  }
}

/** The back gesture of an Android phone closes what lies over the page, and does not leave the page. */
export function useCloseByBack(open: boolean, close: () => void): void {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    const watcher = open ? watchClose() : null;
    watcher?.addEventListener("close", () => latest.current());
    return () => watcher?.destroy();
  }, [open]);
}

function watchClose() {
  const { CloseWatcher } = window;
  return CloseWatcher ? new CloseWatcher() : null;
}
