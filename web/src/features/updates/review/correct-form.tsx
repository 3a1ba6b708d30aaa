import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { equipmentFuelWord, fuelKindOnWire, fuelKindWord } from "#/domain/equipment-wire";
import { fuelKinds, presetFuelKind } from "#/domain/equipment-words";
import { meterDifference } from "#/shared/words/meter-text";
import { useUpdateText } from "#/shared/words/update-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { Button } from "#/shared/ui/button";
import { inputClass } from "#/shared/ui/input-class";
import { needsValue } from "../flags";
import { hasWrongUnit } from "../unit";
import type { Correction } from "../use-decisions";
import { meterAfter } from "./lowering";
import { readingOf } from "./reading";
import { useMeterBefore } from "./use-meter-before";

const menuClosed = 60;
const ofFuel = new Set(["fuel_high", "wrong_fuel"]);

/** Corrects the reading and the fuel in place: Enter applies, Escape cancels. */
export function CorrectForm({
  update,
  equipment,
  busy,
  onSubmit,
  onLeave,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  busy: boolean;
  onSubmit: (correction: Correction) => Promise<boolean>;
  onLeave: () => void;
}) {
  const { t } = useTranslation();
  const words = useUpdateText();
  const labels = useEquipmentLabels();
  const id = useId();
  const hasUsage = (update.newUsage ?? update.usageIncrease) !== undefined;
  const hasFuel = update.fuelAdded > 0;
  const isFuelWrong = update.flags.length > 0 && update.flags.every((flag) => ofFuel.has(flag));
  const sentKind = fuelKindWord(update.fuelKind);
  const isKindWrong = update.flags.includes("wrong_fuel");
  const [text, setText] = useState(String(hasWrongUnit(update) ? "" : (update.newUsage ?? "")));
  const [fuelText, setFuelText] = useState(String(update.fuelAdded));
  const [kind, setKind] = useState(() => {
    const tank = equipment && equipmentFuelWord(equipment.fuel);
    return isKindWrong && tank && tank !== "n/a" ? presetFuelKind(tank) : sentKind;
  });
  const [refused, setRefused] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // The user just opened this field; a closing menu would otherwise take the focus back.
  useEffect(() => {
    const enter = () => {
      if (document.activeElement === field.current) return;
      field.current?.focus();
      field.current?.select();
    };
    enter();
    const timer = setTimeout(enter, menuClosed);
    return () => clearTimeout(timer);
  }, []);
  const reading = readingOf(text);
  const fuel = readingOf(fuelText);
  const isFuelChanged = hasFuel && (fuel !== update.fuelAdded || kind !== sentKind);
  // With other fuel, an increase can stay as it was sent.
  const isReadingKept =
    !needsValue(update) &&
    (text.trim() === "" ? hasFuel : isFuelChanged && reading === update.newUsage);
  const isReadingInvalid = hasUsage && reading === null && !isReadingKept;
  const isFuelInvalid = hasFuel && fuel === null;
  const unit = words.unitName(equipment?.unit);
  const meter = useMeterBefore(update, equipment);
  const added =
    meter !== undefined && equipment ? meterDifference(meter, equipment.meterReading) : 0;
  const submit = () => {
    const isInvalid = isReadingInvalid || isFuelInvalid;
    setRefused(isInvalid);
    if (isInvalid || busy) return;
    void onSubmit({
      ...(hasUsage && reading !== null && !isReadingKept && { newUsage: reading }),
      ...(isFuelChanged && fuel !== null && { fuelAdded: fuel, fuelKind: fuelKindOnWire[kind] }),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onLeave();
  };
  const name = equipment?.name ?? update.equipmentName;
  const input = (invalid: boolean) => ({
    onKeyDown,
    inputMode: "decimal" as const,
    autoComplete: "off",
    "aria-invalid": refused && invalid ? true : undefined,
    "aria-describedby": `${id}-hint`,
  });
  const first = hasUsage && !isFuelWrong ? "reading" : "fuel";
  const hint = () => {
    if (refused && isReadingInvalid) return t("review.correct.invalid");
    if (refused && isFuelInvalid) return t("review.correct.fuelInvalid");
    return null;
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="space-y-1.5"
    >
      <div className="flex flex-wrap items-end gap-2">
        {hasUsage && (
          <div className="min-w-40 flex-1 space-y-1.5 md:max-w-56">
            <label htmlFor={id} className="block text-sm font-semibold">
              {unit
                ? t("review.correct.labelUnit", { name, unit })
                : t("review.correct.label", { name })}
            </label>
            <input
              {...input(isReadingInvalid)}
              id={id}
              ref={first === "reading" ? field : undefined}
              value={text}
              onChange={(event) => setText(event.target.value)}
              className={inputClass}
            />
          </div>
        )}
        {hasFuel && (
          <div className="min-w-28 flex-1 space-y-1.5 md:max-w-40">
            <label htmlFor={`${id}-fuel`} className="block text-sm font-semibold">
              {t("review.correct.fuel", { unit: labels.fuelUnit })}
            </label>
            <input
              {...input(isFuelInvalid)}
              id={`${id}-fuel`}
              ref={first === "fuel" ? field : undefined}
              value={fuelText}
              onChange={(event) => setFuelText(event.target.value)}
              className={inputClass}
            />
          </div>
        )}
        {isKindWrong && (
          <div className="min-w-28 flex-1 space-y-1.5 md:max-w-40">
            <label htmlFor={`${id}-kind`} className="block text-sm font-semibold">
              {t("review.correct.fuelKind")}
            </label>
            <div className="relative">
              <select
                id={`${id}-kind`}
                value={kind}
                onChange={(event) => setKind(event.target.value === "diesel" ? "diesel" : "gas")}
                onKeyDown={onKeyDown}
                className={clsx(inputClass, "appearance-none truncate pr-10")}
              >
                {fuelKinds.map((each) => (
                  <option key={each} value={each}>
                    {labels.fuelKind(each)}
                  </option>
                ))}
              </select>
              <ChevronDown
                aria-hidden
                className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
              />
            </div>
          </div>
        )}
        <Button
          type="submit"
          variant="primary"
          pending={busy}
          pendingLabel={t("review.correct.pending")}
        >
          {t("review.correct.submit")}
        </Button>
        <Button variant="quiet" onClick={onLeave}>
          {t("common.cancel")}
        </Button>
      </div>
      <p id={`${id}-hint`} aria-live="polite" className="text-sm text-muted">
        {hint() ? (
          <span className="font-semibold text-danger">{hint()}</span>
        ) : hasUsage && reading !== null && added > 0 ? (
          t("review.correct.setsAdded", {
            meter: words.reading(meterAfter(reading, meter, equipment), equipment?.unit),
            added: words.amount(added, equipment?.unit),
          })
        ) : hasUsage && reading !== null && meter !== undefined ? (
          t("review.correct.sets", {
            difference: words.difference(meter, reading, equipment?.unit),
          })
        ) : (
          <span className="pointer-coarse:hidden">{t("review.correct.hint")}</span>
        )}
      </p>
    </form>
  );
}
