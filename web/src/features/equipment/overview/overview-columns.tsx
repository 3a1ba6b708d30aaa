import { useMemo } from "react";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Column } from "#/shared/table/column";
import { useEquipmentColumns } from "../table/equipment-columns";
import type { RowAction } from "../dialogs/row-actions";

export function useOverviewColumns(
  onAction: (action: RowAction, equipment: Equipment) => void,
): ReadonlyArray<Column<Equipment>> {
  const columns = useEquipmentColumns(onAction);
  return useMemo(() => {
    const { name, type, fuel, usage, threshold, status, urgency, updated, actions } = columns;
    return [name, type, fuel, usage, threshold, status, urgency, updated, actions];
  }, [columns]);
}
