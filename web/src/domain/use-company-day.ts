import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { companySettingsQuery } from "#/api/company-settings";
import { dayIn } from "./calendar";

/** Today by the company's calendar, which maintenance goes by; until that is known, by the reader's. */
export function useCompanyDay(): string {
  const settings = useQuery(companySettingsQuery(useTransport()));
  const [now] = useState(() => new Date());
  const zone = settings.data?.settings?.timeZone;
  return dayIn(zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone, now);
}
