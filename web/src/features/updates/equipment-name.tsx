import { Link } from "@tanstack/react-router";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { UnitNumber } from "#/shared/ui/unit-number";

/** Links to the equipment, with its unit number; plain text if the equipment was deleted. */
export function EquipmentName({
  update,
  equipment,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
}) {
  if (!equipment) return update.equipmentName;
  return (
    <>
      <UnitNumber number={equipment.unitNumber} />
      <Link
        to="/equipment/item/$id"
        params={{ id: update.equipmentId }}
        className="decoration-1 underline-offset-2 hover:underline"
      >
        {update.equipmentName}
      </Link>
    </>
  );
}
