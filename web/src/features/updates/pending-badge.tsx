import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { CountBadge } from "#/shared/ui/count-badge";
import { usePendingCount } from "./pending";

/** The number of updates waiting for review, in the navigation; renders nothing for 0. */
export function PendingBadge() {
  const { t } = useTranslation();
  const count = usePendingCount();
  if (!count) return null;
  return (
    <span className="ml-1.5 inline-grid">
      <CountBadge count={count} label={t("updates.badge", { count })} />
    </span>
  );
}

/** The number of updates waiting for review, as a figure. */
export function PendingCount() {
  const format = useFormat();
  const count = usePendingCount();
  return count === undefined ? "–" : format.number(count);
}
