import { Link } from "@tanstack/react-router";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** Links to the equipment; plain text if the equipment was deleted. */
export function EquipmentName({ update, exists }: { update: OperatorUpdate; exists: boolean }) {
  if (!exists) return update.equipmentName;
  return (
    <Link
      to="/equipment/item/$id"
      params={{ id: update.equipmentId }}
      className="decoration-1 underline-offset-2 hover:underline"
    >
      {update.equipmentName}
    </Link>
  );
}
