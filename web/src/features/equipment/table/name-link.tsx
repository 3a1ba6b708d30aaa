import { Link } from "@tanstack/react-router";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { rowLink } from "#/shared/table/use-row-links";
import { UnitNumber } from "#/shared/ui/unit-number";

export function NameLink({
  equipment,
}: {
  equipment: Pick<Equipment, "id" | "name" | "unitNumber">;
}) {
  return (
    <>
      <UnitNumber number={equipment.unitNumber} />
      <Link
        to="/equipment/item/$id"
        params={{ id: equipment.id }}
        {...rowLink}
        className="font-semibold decoration-1 underline-offset-2 hover:underline"
      >
        {equipment.name}
      </Link>
    </>
  );
}
