import { useSyncExternalStore } from "react";

/** Where the choice is remembered; only "off" is written, since on is the default. */
const pulseAlertsStorageKey = "pulseAlerts";

const listeners = new Set<() => void>();

export function setPulseAlerts(on: boolean): void {
  if (on) localStorage.removeItem(pulseAlertsStorageKey);
  else localStorage.setItem(pulseAlertsStorageKey, "off");
  for (const listener of listeners) listener();
}

/** Whether updates about critical equipment pulse on the dashboard. */
export function usePulseAlerts(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => localStorage.getItem(pulseAlertsStorageKey) !== "off",
  );
}
