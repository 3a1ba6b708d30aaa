import { useEffect, useEffectEvent } from "react";

declare global {
  interface Window {
    /** Chromium only, and missing in TypeScript's DOM library. */
    CloseWatcher?: new () => EventTarget & { destroy: () => void };
  }
}

/** On Android the back gesture closes the overlay instead of leaving the page. */
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
