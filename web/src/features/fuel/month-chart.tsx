import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import type { MonthFuelUse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { MonthTable } from "./month-table";
import { ticks } from "./scale";
import { fuelFill } from "./swatch";

/** Stacked bars by month, newest at the right; the same figures are in a table below. */
export function MonthChart({ months }: { months: readonly MonthFuelUse[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const lines = ticks(Math.max(0, ...months.map(sum)));
  const top = lines.at(-1) ?? 1;
  const first = months[0]?.month;
  const last = months.at(-1)?.month;
  return (
    <div className="min-w-0">
      <h3 className="mb-3 font-semibold">{t("fuel.byMonth")}</h3>
      <div className="flex gap-2">
        <div
          aria-hidden
          className="relative mt-6 h-44 @min-[54rem]:h-60 w-10 shrink-0 text-xs text-muted"
        >
          {lines.map((line) => (
            <span
              key={line}
              className="absolute right-0 translate-y-1/2 leading-none"
              style={{ bottom: `${(line / top) * 100}%` }}
            >
              {format.number(line)}
            </span>
          ))}
        </div>
        <div
          key={`${first} ${last}`}
          ref={showNewest}
          role="region"
          aria-label={t("fuel.byMonth")}
          tabIndex={0}
          className="min-w-0 flex-1 overflow-x-auto"
        >
          <div aria-hidden className="relative flex w-max min-w-full pt-6">
            <Grid lines={lines} top={top} />
            {months.map((use) => (
              <Bar
                key={use.month}
                use={use}
                top={top}
                yearToo={[first, last].includes(use.month) || use.month.endsWith("-01")}
              />
            ))}
          </div>
        </div>
      </div>
      <MonthTable months={months} />
    </div>
  );
}

/** Scrolls to the newest months if not all fit. Then a whole number of bars fits beside the axis. */
function showNewest(scroller: HTMLElement | null): void {
  const bar = scroller?.querySelector("[data-bar]")?.getBoundingClientRect().width;
  if (!scroller || !bar || scroller.scrollWidth <= scroller.clientWidth) return;
  scroller.style.maxWidth = `round(down, 100% - 3rem, ${bar}px)`;
  scroller.style.scrollSnapType = "x mandatory";
  scroller.scrollLeft = scroller.scrollWidth;
}

function Grid({ lines, top }: { lines: readonly number[]; top: number }) {
  return (
    <div className="absolute inset-x-0 top-6 h-44 @min-[54rem]:h-60">
      {lines.map((line) => (
        <div
          key={line}
          className={clsx(
            "absolute inset-x-0 border-t",
            line === 0 ? "border-control-line" : "border-line",
          )}
          style={{ bottom: `${(line / top) * 100}%` }}
        />
      ))}
    </div>
  );
}

function Bar({ use, top, yearToo }: { use: MonthFuelUse; top: number; yearToo: boolean }) {
  const format = useFormat();
  const labels = useEquipmentLabels();
  const total = sum(use);
  const parts = (["diesel", "gas"] as const).filter((kind) => use[kind] > 0);
  return (
    <div
      data-bar
      className="relative flex min-w-14 flex-1 flex-col items-center px-1"
      style={{ scrollSnapAlign: "start" }}
    >
      <div className="flex h-44 @min-[54rem]:h-60 w-full flex-col items-center justify-end">
        {total > 0 && (
          <span className="-mt-6 pb-1 text-xs font-semibold">{format.fuel(total, "")}</span>
        )}
        {parts.map((kind, index) => (
          <span
            key={kind}
            title={`${labels.fuelKind(kind)}: ${labels.gallons(use[kind])}`}
            className={clsx(
              "block w-full max-w-9 min-w-0 shrink-0",
              fuelFill[kind],
              index === 0 && "rounded-t-[4px]",
            )}
            // Small amounts are still visible.
            style={{ height: `max(2px, ${(use[kind] / top) * 100}%)` }}
          />
        ))}
      </div>
      <span className="mt-1.5 text-xs whitespace-nowrap text-muted">{format.month(use.month)}</span>
      {yearToo && <span className="text-xs text-muted">{use.month.slice(0, 4)}</span>}
    </div>
  );
}

function sum({ gas, diesel }: MonthFuelUse): number {
  return gas + diesel;
}
