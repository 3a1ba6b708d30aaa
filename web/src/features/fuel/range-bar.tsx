import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { readDate } from "#/domain/calendar";
import { inputClass } from "#/shared/ui/input-class";
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
      <div className="w-full md:w-56">
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

/** Typed text stays here until it is a date, because a partial year must not clear the field. */
function OwnDays({ range, onRange }: { range: FuelRange; onRange: (range: FuelRange) => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState({ from: range.fuelFrom ?? "", to: range.fuelTo ?? "" });
  const errorId = useId();
  const change = (next: typeof typed) => {
    setTyped(next);
    const valid = [next.from, next.to].every((day) => day === "" || readDate(day) !== null);
    if (!valid) return;
    onRange({ fuel: "custom", fuelFrom: next.from || undefined, fuelTo: next.to || undefined });
  };
  const problem = problemOf(typed);
  const described = problem ? { "aria-invalid": true, "aria-describedby": errorId } : {};
  return (
    <div className="min-w-0 flex-1 basis-64">
      <div className="flex flex-wrap gap-3">
        <label className="flex min-w-0 flex-1 items-center gap-2 md:flex-none">
          <span className="shrink-0 text-sm text-muted">{t("fuel.range.from")}</span>
          <input
            type="date"
            value={typed.from}
            min="1900-01-01"
            max="2200-12-31"
            onChange={(event) => change({ ...typed, from: event.target.value })}
            className={inputClass}
            {...described}
          />
        </label>
        <label className="flex min-w-0 flex-1 items-center gap-2 md:flex-none">
          <span className="shrink-0 text-sm text-muted">{t("fuel.range.to")}</span>
          <input
            type="date"
            value={typed.to}
            min="1900-01-01"
            max="2200-12-31"
            onChange={(event) => change({ ...typed, to: event.target.value })}
            className={inputClass}
            {...described}
          />
        </label>
      </div>
      {problem && (
        <p id={errorId} role="alert" className="mt-1.5 text-sm font-semibold text-danger">
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
