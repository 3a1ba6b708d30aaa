import { useTranslation } from "react-i18next";
import { daysBetween } from "#/domain/days-between";
import { useFormat } from "#/shared/format/use-format";

/** "2 hours ago", with the time on hover, or "Never". */
export function LastReport({ at }: { at: Date | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!at) return <span className="text-muted">{t("operators.neverReported")}</span>;
  return (
    <time dateTime={at.toISOString()} title={format.instant(at)} className="whitespace-nowrap">
      {agoText(format, at)}
    </time>
  );
}

function agoText({ ago }: ReturnType<typeof useFormat>, at: Date, now = new Date()): string {
  const minutes = Math.max(1, Math.floor((now.getTime() - at.getTime()) / 60_000));
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return ago(daysBetween(at, now), "day");
  return hours > 0 ? ago(hours, "hour") : ago(minutes, "minute");
}
