import { EllipsisVertical } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { onDemand } from "#/shared/on-demand";
import { Button } from "#/shared/ui/button";
import { Menu } from "#/shared/ui/menu";

export type RowAction = "usage" | "notes" | "serviced" | "edit" | "copy" | "delete";

export interface RowActionsProps {
  equipment: Equipment;
  onAction: (action: RowAction) => void;
}

const items = onDemand(() => import("./row-action-items").then((module) => module.RowActionItems));

export function RowActions(props: RowActionsProps) {
  const { t } = useTranslation();
  return (
    <Menu
      needs={items}
      trigger={
        <Button
          variant="quiet"
          icon
          aria-label={t("equipment.actions.label", { name: props.equipment.name })}
        >
          <EllipsisVertical aria-hidden className="size-5" />
        </Button>
      }
    >
      <items.Component {...props} />
    </Menu>
  );
}
