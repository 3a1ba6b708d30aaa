import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { companySettingsQuery } from "#/api/company-settings";
import { dayIn } from "#/domain/calendar";

/** The company's time zone; the reader's while loading. */
export function useCompanyZone(): string {
  const settings = useQuery(companySettingsQuery(useTransport()));
  const zone = settings.data?.settings?.timeZone;
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Today in the company's time zone, which maintenance uses. Changes after midnight. */
export function useCompanyDay(): string {
  const zone = useCompanyZone();
  return useSyncExternalStore(watchClock, () => dayIn(zone, new Date()));
}

/**
 * Calls back when the day may have changed. Timers of a hidden page or a sleeping device are late, so
 * its return counts too.
 */
export function watchClock(changed: () => void): () => void {
  const timer = setInterval(changed, 30_000);
  document.addEventListener("visibilitychange", changed);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", changed);
  };
}
