import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-words";
import { useUpdateText } from "#/domain/update-text";
import { useFormat } from "#/shared/format/use-format";

/** What took effect: "4,804.1 -> 4,812.5 hours +8.4 h", and the fuel. */
export function Reported({
  update,
  unit,
}: {
  update: OperatorUpdate;
  unit: MeterUnit | undefined;
}) {
  const format = useFormat();
  const text = useUpdateText();
  const { previousUsage: before, fuelAdded } = update;
  // The manager may have decided on another value than the one reported.
  const reading = update.appliedUsage ?? update.newUsage;
  return (
    <>
      {reading !== undefined && (
        <p>
          {before !== undefined && (
            <>
              <span className="text-muted">{format.number(before)} </span>
              <span aria-hidden className="text-muted">
                →{" "}
              </span>
            </>
          )}
          <span className="font-semibold">{text.reading(reading, unit)}</span>
          {before !== undefined && (
            <span className="ml-2 text-sm text-muted">
              {text.difference(before, reading, unit)}
            </span>
          )}
        </p>
      )}
      {fuelAdded > 0 && (
        <p className="mt-1 text-sm">{text.fuel(fuelAdded, fuelKindWord(update.fuelKind))}</p>
      )}
    </>
  );
}
