import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

export type RowAction = "usage" | "notes" | "serviced" | "edit" | "copy" | "delete";

export interface RowActionsProps {
  equipment: Equipment;
  /** The lists beside the overview name some actions in more words, and service also schedules. */
  isList: boolean;
  /** Whether the service of the row's task is offered; absent if the row is a machine. */
  hasPlan?: boolean | undefined;
  onAction: (action: RowAction) => void;
}

/** Whether Mark as Serviced is offered. */
export function canService({ equipment, isList, hasPlan }: RowActionsProps) {
  return (
    hasPlan ??
    (equipment.serviceInterval > 0 ||
      equipment.moreTasks > 0 ||
      (isList && equipment.hasScheduledMaintenance))
  );
}
