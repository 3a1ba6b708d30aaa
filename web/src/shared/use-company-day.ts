import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { companySettingsQuery } from "#/api/company-settings";
import { dayIn } from "#/domain/calendar";

/** The company's time zone; the reader's while loading. */
export function useCompanyZone(): string {
  const settings = useQuery(companySettingsQuery(useTransport()));
  const zone = settings.data?.settings?.timeZone;
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Today in the company's time zone, which maintenance uses. */
export function useCompanyDay(): string {
  const zone = useCompanyZone();
  const [now] = useState(() => new Date());
  return dayIn(zone, now);
}
