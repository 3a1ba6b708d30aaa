import { useEffect, useEffectEvent } from "react";

declare global {
  interface Window {
    /** Chromium's; the DOM library does not know it. */
    CloseWatcher?: new () => EventTarget & { destroy: () => void };
  }
}

/** The back gesture of an Android phone closes what lies over the page, and does not leave the page. */
export function useCloseByBack(open: boolean, close: () => void): void {
  const onClose = useEffectEvent(close);
  useEffect(() => {
    const watcher = open ? watchClose() : null;
    watcher?.addEventListener("close", () => onClose());
    return () => watcher?.destroy();
  }, [open]);
}

function watchClose() {
  const { CloseWatcher } = window;
  return CloseWatcher ? new CloseWatcher() : null;
}
