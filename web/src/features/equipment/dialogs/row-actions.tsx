import { EllipsisVertical, Gauge, NotebookPen, Pencil, Trash2, Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { Button } from "#/shared/ui/button";
import { Menu, MenuItem, MenuSeparator } from "#/shared/ui/menu";

export type RowAction = "usage" | "notes" | "serviced" | "edit" | "delete";

export function RowActions({
  equipment,
  onAction,
}: {
  equipment: Equipment;
  onAction: (action: RowAction) => void;
}) {
  const { t } = useTranslation();
  const icon = "size-4 text-muted";
  return (
    <Menu
      trigger={
        <Button
          variant="quiet"
          icon
          aria-label={t("equipment.actions.label", { name: equipment.name })}
        >
          <EllipsisVertical aria-hidden className="size-5" />
        </Button>
      }
    >
      <MenuItem icon={<Gauge aria-hidden className={icon} />} onSelect={() => onAction("usage")}>
        {t("equipment.actions.updateUsage")}
      </MenuItem>
      <MenuItem
        icon={<NotebookPen aria-hidden className={icon} />}
        onSelect={() => onAction("notes")}
      >
        {t("equipment.actions.viewNotes")}
      </MenuItem>
      {equipment.serviceInterval > 0 && (
        <MenuItem
          icon={<Wrench aria-hidden className={icon} />}
          onSelect={() => onAction("serviced")}
        >
          {t("equipment.actions.markServiced")}
        </MenuItem>
      )}
      <MenuItem icon={<Pencil aria-hidden className={icon} />} onSelect={() => onAction("edit")}>
        {t("equipment.actions.edit")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Trash2 aria-hidden className="size-4" />}
        onSelect={() => onAction("delete")}
      >
        {t("equipment.actions.delete")}
      </MenuItem>
    </Menu>
  );
}
