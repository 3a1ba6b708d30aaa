import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { companySettingsQuery } from "#/api/company-settings";
import { dayIn } from "#/domain/calendar";

/** The company's time zone; until it is known, the reader's. */
export function useCompanyZone(): string {
  const settings = useQuery(companySettingsQuery(useTransport()));
  const zone = settings.data?.settings?.timeZone;
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Today by the company's calendar, which maintenance goes by. */
export function useCompanyDay(): string {
  const zone = useCompanyZone();
  const [now] = useState(() => new Date());
  return dayIn(zone, now);
}
