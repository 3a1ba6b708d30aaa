import { Copy, EllipsisVertical, Pencil, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { Button } from "#/shared/ui/button";
import { Menu, MenuItem, MenuSeparator } from "#/shared/ui/menu";
import type { RowAction } from "../dialogs/row-actions";

export function ListMenu({
  equipment,
  onAction,
}: {
  equipment: Equipment;
  onAction: (action: RowAction) => void;
}) {
  const { t } = useTranslation();
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
      <MenuItem
        icon={<Pencil aria-hidden className="size-4 text-muted" />}
        onSelect={() => onAction("edit")}
      >
        {t("equipment-list.edit")}
      </MenuItem>
      <MenuItem
        icon={<Copy aria-hidden className="size-4 text-muted" />}
        onSelect={() => onAction("copy")}
      >
        {t("equipment.actions.copy")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Trash2 aria-hidden className="size-4" />}
        onSelect={() => onAction("delete")}
      >
        {t("equipment-list.delete")}
      </MenuItem>
    </Menu>
  );
}
