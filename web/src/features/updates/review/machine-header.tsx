import { clsx } from "clsx";
import { Link } from "@tanstack/react-router";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";
import { Checkbox } from "#/shared/ui/toggle";
import { UnitNumber } from "#/shared/ui/unit-number";
import { numberedName } from "#/shared/words/numbered-name";
import type { EquipmentById } from "../queries";
import { hasNoMeter } from "../unit";
import type { Machine } from "./machines";
import type { Selection } from "./use-selection";

/** The machine's meter, which the updates below are compared with. */
export function MachineHeader({
  machine,
  equipment,
  selectable,
  selection,
  selecting,
}: {
  machine: Machine;
  equipment: EquipmentById;
  /** The ids of its selectable updates. */
  selectable: readonly string[];
  selection: Selection;
  /** Whether a phone shows the checkboxes. */
  selecting: boolean;
}) {
  const { t } = useTranslation();
  const item = equipment?.get(machine.equipmentId);
  const name = item?.name ?? machine.name;
  return (
    <div
      role="row"
      className="flex items-center gap-x-3 border-t @min-[46rem]:gap-x-4 border-line bg-sunken px-4 py-2 md:px-5"
    >
      <div
        role="gridcell"
        className={clsx("grid size-6 place-items-center", !selecting && "max-md:hidden")}
      >
        {selectable.length > 0 && (
          <Checkbox
            aria-label={t("review.machine.select", { name: numberedName(name, item) })}
            checked={selectable.every(selection.has)}
            onChange={(event) => selection.set(selectable, event.target.checked)}
          />
        )}
      </div>
      <div role="rowheader" className="flex min-w-0 flex-wrap items-baseline gap-x-3">
        <h2 className="font-semibold">
          <UnitNumber number={item?.unitNumber} />
          {item ? (
            <Link
              to="/equipment/item/$id"
              params={{ id: item.id }}
              className="inline-block py-0.5 decoration-1 underline-offset-2 hover:underline"
            >
              {name}
            </Link>
          ) : (
            name
          )}
        </h2>
        <p className="text-sm text-muted">
          {item ? (
            <MeterNow item={item} />
          ) : (
            equipment?.isGone(machine.equipmentId) && t("review.machine.gone")
          )}
        </p>
      </div>
    </div>
  );
}

function MeterNow({ item }: { item: Equipment }) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = useUpdateText();
  if (hasNoMeter(item)) return null;
  if (!item.meterReadAt) return t("review.machine.neverRead");
  const read = t("review.machine.readAt", {
    when: format.instant(timestampDate(item.meterReadAt)),
  });
  const shows = t("review.machine.shows", {
    reading: text.reading(item.meterReading, item.unit),
  });
  return `${shows} · ${read}`;
}
