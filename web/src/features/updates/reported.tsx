import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-words";
import { useUpdateText } from "#/domain/update-text";
import { useFormat } from "#/shared/format/use-format";

/** "4,804.1 -> 4,812.5 hours (+8.4 h)"; the reading alone where the one before is not known. */
export function ReportedReading({
  update: { newUsage, previousUsage },
  unit,
  inline = false,
}: {
  update: OperatorUpdate;
  unit: MeterUnit | undefined;
  /** The difference on the same line, where the list is narrow and long. */
  inline?: boolean;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = useUpdateText();
  if (newUsage === undefined) {
    return <p className="text-sm text-muted">{t("updates.queue.noReading")}</p>;
  }
  const reading = text.reading(newUsage, unit);
  return (
    <p>
      {previousUsage === undefined ? (
        <span className="font-semibold">{reading}</span>
      ) : (
        <>
          <span className="text-muted">{format.number(previousUsage)} </span>
          <span aria-hidden className="text-muted">
            →{" "}
          </span>
          <span className="font-semibold">{reading}</span>
          <span className={inline ? "ml-2 text-sm text-muted" : "block text-sm text-muted"}>
            {text.difference(previousUsage, newUsage, unit)}
          </span>
        </>
      )}
    </p>
  );
}

export function ReportedFuel({ update }: { update: OperatorUpdate }) {
  const text = useUpdateText();
  if (update.fuelAdded <= 0) return null;
  return (
    <p className="mt-1 text-sm">{text.fuel(update.fuelAdded, fuelKindWord(update.fuelKind))}</p>
  );
}
