import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { watchClock } from "#/shared/use-company-day";

/**
 * The company and the day, at the top of a page that the browser prints; reports have their own. The
 * day is the reader's, as the times on the page are.
 */
export function PaperLine() {
  const { t } = useTranslation();
  const company = useSession()?.businessName ?? "";
  const format = useFormat();
  const date = useSyncExternalStore(watchClock, () => format.instantDay(new Date()));
  return (
    <p className="mb-4 hidden text-sm print:block">
      {t("equipment-detail.print.printed", { company, date })}
    </p>
  );
}
