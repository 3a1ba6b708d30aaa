import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";
import { useAppliedFuelText, useMeterDecisionText } from "../review/use-applied-text";

/** The applied figures: "4,804.1 -> 4,812.5 hours +8.4 h", and the fuel. An increase that did not move the meter says why. */
export function Reported({
  update,
  unit,
}: {
  update: OperatorUpdate;
  unit: MeterUnit | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = useUpdateText();
  const { previousUsage: before, meterReplacement: newMeter, fuelAdded } = update;
  // The applied value may differ from the reported one.
  const reading = update.appliedUsage ?? update.newUsage;
  const unmoved = update.appliedUsage === undefined && update.late;
  const from = unmoved ? undefined : newMeter ? newMeter.startReading : before;
  // An increase without a result did not move the meter.
  const increase = reading === undefined ? update.usageIncrease : undefined;
  const fuel = text.fuel(fuelAdded, fuelKindWord(update.fuelKind), update.fullFill);
  const applied = useAppliedFuelText()(update);
  const decision = useMeterDecisionText()(update, unit);
  return (
    <>
      {reading !== undefined && (
        <p>
          {from !== undefined && !newMeter && (
            <>
              <span className="text-muted">{format.number(from)} </span>
              <span aria-hidden className="text-muted">
                →{" "}
              </span>
            </>
          )}
          <span className="font-semibold">{text.reading(reading, unit)}</span>
          {from !== undefined && (
            <span className="ml-2 text-sm text-muted">{text.difference(from, reading, unit)}</span>
          )}
          {decision && <span className="block text-sm text-muted">{decision}</span>}
          {update.late && (
            <span className="block text-sm text-muted">{t("review.flags.lateApplied")}</span>
          )}
        </p>
      )}
      {increase !== undefined && (
        <p>
          <span className="font-semibold">{text.difference(0, increase, unit)}</span>
          <span className="block text-sm text-muted">
            {update.late ? t("review.flags.lateApplied") : t("review.recent.notRead")}
          </span>
        </p>
      )}
      {fuelAdded > 0 && (
        <p className={clsx("mt-1 text-sm", applied && "text-muted")}>
          {applied ? t("review.decided.sent", { sent: fuel }) : fuel}
        </p>
      )}
      {applied && (
        <p className="text-sm font-semibold">
          {t("review.decided.appliedAs", { reading: applied })}
        </p>
      )}
    </>
  );
}
