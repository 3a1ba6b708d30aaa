import { Copy, Gauge, NotebookPen, Pencil, Trash2, Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import { unitWord } from "#/domain/equipment-wire";
import { MenuItem, MenuSeparator } from "#/shared/ui/menu";
import { canService, type RowActionsProps } from "./row-action";

export function RowActionItems(props: RowActionsProps) {
  const { t } = useTranslation();
  const { equipment, isList, onAction } = props;
  const icon = "size-4 text-muted";
  return (
    <>
      {unitWord(equipment.unit) !== "n/a" && (
        <MenuItem icon={<Gauge aria-hidden className={icon} />} onSelect={() => onAction("usage")}>
          {t("equipment.actions.updateUsage")}
        </MenuItem>
      )}
      <MenuItem
        icon={<NotebookPen aria-hidden className={icon} />}
        onSelect={() => onAction("notes")}
      >
        {t("equipment.actions.viewNotes")}
      </MenuItem>
      {canService(props) && (
        <MenuItem
          icon={<Wrench aria-hidden className={icon} />}
          onSelect={() => onAction("serviced")}
        >
          {t("equipment.actions.markServiced")}
        </MenuItem>
      )}
      <MenuItem icon={<Pencil aria-hidden className={icon} />} onSelect={() => onAction("edit")}>
        {isList ? t("equipment.actions.editFull") : t("equipment.actions.edit")}
      </MenuItem>
      <MenuItem icon={<Copy aria-hidden className={icon} />} onSelect={() => onAction("copy")}>
        {t("equipment.actions.copy")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Trash2 aria-hidden className="size-4" />}
        onSelect={() => onAction("delete")}
      >
        {isList ? t("equipment.actions.deleteFull") : t("equipment.actions.delete")}
      </MenuItem>
    </>
  );
}
