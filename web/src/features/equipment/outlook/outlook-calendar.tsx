import { clsx } from "clsx";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { severityIn } from "#/shared/severity";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { StatusIcon } from "#/shared/ui/status-badge";
import { NameLink } from "../table/name-link";
import { statusOf } from "../table/shown-status";
import type { Entry } from "./entries";
import { daysOf, grouped, monthAway, weekdayOf } from "./outlook";
import { useOutlookText } from "./use-outlook-text";

/** A month with the tasks that are due on each day; on phones only days with tasks. */
export function OutlookCalendar({
  entries,
  month,
  today,
  onMonth,
}: {
  entries: readonly Entry[];
  month: string;
  today: string;
  onMonth: (month: string) => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const days = new Map(grouped(entries, ({ row }) => row.projectedDueDate));
  const empty = !entries.some(({ row }) => row.projectedDueDate.startsWith(month));
  return (
    <section aria-labelledby="outlook-month" className="space-y-3">
      <div className="flex items-center gap-2">
        <Button
          icon
          aria-label={t("service.previousMonth")}
          onClick={() => onMonth(monthAway(month, -1))}
        >
          <ChevronLeft aria-hidden className="size-4" />
        </Button>
        <h2
          id="outlook-month"
          aria-live="polite"
          className="min-w-40 text-center text-lg font-semibold first-letter:uppercase"
        >
          {format.monthYear(month)}
        </h2>
        <Button
          icon
          aria-label={t("service.nextMonth")}
          onClick={() => onMonth(monthAway(month, 1))}
        >
          <ChevronRight aria-hidden className="size-4" />
        </Button>
      </div>
      {empty && <p className="text-muted">{t("service.emptyMonth")}</p>}
      <ol
        aria-labelledby="outlook-month"
        className={clsx(
          "overflow-hidden rounded-card border border-line md:grid md:grid-cols-7",
          empty && "max-md:hidden",
        )}
      >
        {daysOf(month).map((day) => (
          <Day key={day} day={day} today={today} entries={days.get(day) ?? []} />
        ))}
      </ol>
    </section>
  );
}

function Day({ day, today, entries }: { day: string; today: string; entries: readonly Entry[] }) {
  const format = useFormat();
  const text = useOutlookText(today);
  return (
    <li
      aria-current={day === today ? "date" : undefined}
      style={day.endsWith("-01") ? { gridColumnStart: weekdayOf(day) + 1 } : undefined}
      className={clsx(
        "-mt-px min-w-0 border-t border-line bg-raised p-2 max-md:px-4 max-md:py-3 md:-ml-px md:min-h-28 md:border-l",
        entries.length === 0 && "max-md:hidden",
      )}
    >
      <p className={clsx("text-xs", day === today ? "font-semibold text-accent" : "text-muted")}>
        <time dateTime={day}>{format.weekday(day)}</time>
      </p>
      <ul className="mt-1 space-y-1.5">
        {entries.map(({ id, row }) => (
          <li key={id} className="flex min-w-0 gap-1.5 text-sm">
            <span className="mt-0.5">
              <StatusIcon severity={severityIn(row, statusOf(row).status)} />
            </span>
            <span className="min-w-0">
              <NameLink equipment={row} />
              <span className="block text-xs text-muted">{text.projectedTask(row)}</span>
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}
