import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { NotesDialog } from "./notes-dialog";
import { RemoveDialog } from "./remove-dialog";
import type { RowAction } from "./row-action";
import { ServicedDialog } from "./serviced-dialog";
import { UsageDialog } from "./usage-dialog";

/** The dialog of a row's action; editing and copying have their own page. */
export function EquipmentDialogs({
  action,
  equipment,
  onClose,
}: {
  /** `reading` and `fuel` are "usage" that starts with them. */
  action: RowAction | "reading" | "fuel";
  equipment: Equipment;
  onClose: () => void;
}) {
  switch (action) {
    case "usage":
      return <UsageDialog equipment={equipment} onClose={onClose} />;
    case "reading":
    case "fuel":
      return <UsageDialog equipment={equipment} start={action} onClose={onClose} />;
    case "notes":
      return <NotesDialog equipment={equipment} onClose={onClose} />;
    case "serviced":
      return <ServicedDialog equipment={equipment} onClose={onClose} />;
    case "delete":
      return <RemoveDialog equipment={equipment} onClose={onClose} />;
    case "edit":
    case "copy":
      return null;
  }
}
