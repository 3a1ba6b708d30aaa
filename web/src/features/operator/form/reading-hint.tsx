import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { checkReading } from "#/domain/reading-check";
import { meterDifference } from "#/shared/words/meter-text";
import type { LastKnown } from "../offline-data/last-known";
import type { FieldMachine } from "../offline-data/machines";
import { typedReading, type UsageMode } from "./schema";
import { useMeterText } from "#/shared/words/use-meter-text";
import { useWhen } from "#/shared/words/use-when";

/** The difference from the last reading ("+8.4 h since yesterday"), or the reading after added hours. */
export function ReadingHint({
  machine,
  last,
  mode,
  typed,
}: {
  machine: FieldMachine;
  last: LastKnown;
  mode: UsageMode;
  typed: string;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  const when = useWhen();
  const reading = typedReading({ mode, reading: typed }, last.reading);
  if (reading === null) return null;
  if (mode === "added") {
    return (
      <span aria-live="polite" className="text-md text-ink">
        {t("operator.form.newReading")}{" "}
        <span className="font-semibold">{text.amount(reading, machine.unit)}</span>
      </span>
    );
  }
  const change = meterDifference(last.reading, reading);
  const difference = text.difference(last.reading, reading, machine.unit);
  const since = last.at ? when.since(last.at) : "";
  if (change < 0 || isJump(machine, last, reading)) {
    return (
      <span aria-live="polite" className="flex gap-2 text-md text-ink">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          <span className="font-semibold">{difference}</span>{" "}
          {change < 0 ? t("operator.form.below") : `${since} – ${t("operator.check.jumpTitle")}`}
        </span>
      </span>
    );
  }
  return (
    <span aria-live="polite" className="text-md text-ink">
      {change === 0 ? (
        t("operator.form.same")
      ) : (
        <>
          <span className="font-semibold">{difference}</span>
          {` ${since}`}
        </>
      )}
    </span>
  );
}

function isJump(machine: FieldMachine, { reading, at }: LastKnown, typed: number): boolean {
  const entry = { reading: typed, fuelAdded: 0, capturedAt: new Date(), repeatedSecondsAgo: null };
  const meter = { ...machine, meterReading: reading, meterReadAt: at };
  return checkReading(meter, entry).flags.includes("jump");
}
