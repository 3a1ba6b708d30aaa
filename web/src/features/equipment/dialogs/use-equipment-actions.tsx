import { useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { EquipmentDialogs } from "./equipment-dialogs-on-demand";
import type { RowAction } from "./row-action";

/** Opens the form's page or a dialog for a row's action. */
export function useEquipmentActions() {
  const navigate = useNavigate();
  const [request, setRequest] = useState<{ action: RowAction; equipment: Equipment } | null>(null);
  const act = useCallback(
    (action: RowAction, equipment: Equipment) => {
      if (action === "edit" || action === "copy") {
        void navigate({ to: "/add-equipment", search: { [action]: equipment.id } });
      } else setRequest({ action, equipment });
    },
    [navigate],
  );
  const dialog = request && (
    <EquipmentDialogs
      action={request.action}
      equipment={request.equipment}
      onClose={() => setRequest(null)}
    />
  );
  return { act, dialog };
}
