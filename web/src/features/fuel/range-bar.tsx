import { clsx } from "clsx";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { DayField } from "#/shared/ui/day-field";
import { Select } from "#/shared/ui/select";
import { daysOf } from "./range";
import { fuelSpans, type FuelRange, type FuelSpan } from "./range-search";

/** The range selector; custom dates open on demand. */
export function RangeBar({
  range,
  onRange,
  today,
}: {
  range: FuelRange;
  onRange: (range: FuelRange) => void;
  today: string;
}) {
  const { t } = useTranslation();
  const names: Record<FuelSpan, string> = {
    "30-days": t("fuel.range.days30"),
    year: t("fuel.range.year"),
    "12-months": t("fuel.range.months12"),
    custom: t("fuel.range.custom"),
  };
  const choose = (fuel: FuelSpan | undefined) => {
    if (fuel !== "custom") return onRange({ fuel, fuelFrom: undefined, fuelTo: undefined });
    // Custom dates start with the displayed range.
    const shown = daysOf(range, today);
    const from = shown?.from || `${today.slice(0, 7)}-01`;
    onRange({ fuel, fuelFrom: from, fuelTo: shown?.to || today });
  };
  return (
    <div className="flex flex-wrap items-start gap-3">
      {/* In line with the fields of the dates below their labels. */}
      <div className={clsx("w-full md:w-56", range.fuel === "custom" && "md:mt-5")}>
        <Select
          label={t("fuel.range.label")}
          all={t("fuel.range.sinceReset")}
          value={range.fuel}
          options={fuelSpans.map((span) => ({ value: span, label: names[span] }))}
          onChange={choose}
        />
      </div>
      {range.fuel === "custom" && <OwnDays range={range} onRange={onRange} />}
    </div>
  );
}

function OwnDays({ range, onRange }: { range: FuelRange; onRange: (range: FuelRange) => void }) {
  const { t } = useTranslation();
  const { fuelFrom = "", fuelTo = "" } = range;
  const problem = problemOf({ from: fuelFrom, to: fuelTo });
  const id = useId();
  const errorId = problem ? id : undefined;
  const change = (days: Pick<FuelRange, "fuelFrom"> | Pick<FuelRange, "fuelTo">) =>
    onRange({ ...range, ...days });
  return (
    <div className="grid w-full grid-cols-2 gap-3 md:w-auto">
      <DayField
        label={t("fuel.range.from")}
        value={fuelFrom}
        onChange={(day) => change({ fuelFrom: day })}
        errorId={errorId}
      />
      <DayField
        label={t("fuel.range.to")}
        value={fuelTo}
        onChange={(day) => change({ fuelTo: day })}
        errorId={errorId}
      />
      {problem && (
        <p id={id} role="alert" className="col-span-full text-sm font-semibold text-danger">
          {problem === "order" ? t("fuel.range.wrongOrder") : t("fuel.range.chooseDays")}
        </p>
      )}
    </div>
  );
}

function problemOf({ from, to }: { from: string; to: string }): "order" | "missing" | null {
  if (from === "" && to === "") return "missing";
  return from !== "" && to !== "" && from > to ? "order" : null;
}
