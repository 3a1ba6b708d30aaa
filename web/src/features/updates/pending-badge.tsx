import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { usePendingCount } from "./pending";

/** The number of updates waiting for review, in the navigation; renders nothing for 0. */
export function PendingBadge() {
  const { t } = useTranslation();
  const count = usePendingCount();
  if (!count) return null;
  return (
    <span className="ml-1.5 inline-grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-on">
      <span aria-hidden>{count > 99 ? "99+" : count}</span>
      <span className="sr-only">{t("updates.badge", { count })}</span>
    </span>
  );
}

/** The number of updates waiting for review, as a figure. */
export function PendingCount() {
  const format = useFormat();
  const count = usePendingCount();
  return count === undefined ? "–" : format.number(count);
}
