import { useTranslation } from "react-i18next";
import { useCompanyZone } from "./use-company-day";

/** In which zone the times of a list are, if the reader's clock differs from the company's. */
export function useZoneNote(): string | undefined {
  const { t } = useTranslation();
  const company = useCompanyZone();
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return hasSameClock(zone, company) ? undefined : t("equipment-history.zone", { zone, company });
}

/** Whether two zones show the same time now and half a year later. */
export function hasSameClock(one: string, other: string, now = Date.now()): boolean {
  return [now, now + 182 * 86_400_000].every(
    (moment) => clock(one, moment) === clock(other, moment),
  );
}

function clock(timeZone: string, moment: number): string {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      dateStyle: "short",
      timeStyle: "short",
    }).format(moment);
  } catch {
    // A browser may lack a zone of the server's newer list.
    return timeZone;
  }
}
