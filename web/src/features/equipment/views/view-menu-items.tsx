import { BookmarkMinus, BookmarkPlus, Rows2, Rows4 } from "lucide-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { toast } from "#/shared/toast/store";
import { MenuChecks, MenuChoice, MenuItem, MenuSeparator } from "#/shared/ui/menu";
import type { Screen } from "../table/equipment-columns";
import {
  columnsOf,
  optionalColumns,
  useListPrefs,
  type OptionalColumn,
  type SavedView,
} from "../table/list-prefs";
import { isSameView } from "./same-view";

const icon = "size-4 text-muted";

export function ViewMenuItems({
  screen,
  filter,
  onFilter,
  onSave,
}: {
  screen: Screen;
  filter: EquipmentFilter;
  onFilter: (change: EquipmentFilter) => void;
  onSave: () => void;
}) {
  const { t } = useTranslation();
  const prefs = useListPrefs();
  const chosen = columnsOf(filter.columns ?? prefs.columns);
  const saved = prefs.views.find(({ search }) => isSameView(search, filter));
  const change = (column: OptionalColumn, on: boolean) => {
    const columns = optionalColumns
      .filter((each) => (each === column ? on : chosen.includes(each)))
      .join(".");
    prefs.change({ columns });
    if (filter.columns !== undefined) onFilter({ columns });
  };
  const remove = (view: SavedView) => {
    const at = prefs.views.indexOf(view);
    prefs.change(({ views }) => ({ views: views.filter(({ name }) => name !== view.name) }));
    toast.success(t("equipment-list.views.removed"), view.name, {
      label: t("equipment-dialogs.undo.action"),
      run: () => prefs.change(({ views }) => ({ views: views.toSpliced(at, 0, view) })),
    });
  };
  return (
    <>
      <MenuChoice
        label={t("equipment-list.views.density")}
        value={prefs.density}
        options={[
          {
            value: "comfortable",
            label: t("equipment-list.views.comfortable"),
            icon: <Rows2 aria-hidden className={icon} />,
          },
          {
            value: "compact",
            label: t("equipment-list.views.compact"),
            icon: <Rows4 aria-hidden className={icon} />,
          },
        ]}
        onChange={(density) => prefs.change({ density })}
      />
      <MenuSeparator />
      <MenuChecks
        label={t("equipment-list.views.columns")}
        options={optionalColumns
          // There the status column always is the service status.
          .filter((column) => screen !== "list" || column !== "status")
          .map((column) => ({
            value: column,
            label: columnName(t, column),
            checked: chosen.includes(column),
          }))}
        onChange={change}
      />
      <MenuSeparator />
      <MenuItem icon={<BookmarkPlus aria-hidden className={icon} />} onSelect={onSave}>
        {t("equipment-list.views.save")}
      </MenuItem>
      {saved && (
        <MenuItem
          icon={<BookmarkMinus aria-hidden className={icon} />}
          onSelect={() => remove(saved)}
        >
          {t("equipment-list.views.remove", { name: saved.name })}
        </MenuItem>
      )}
    </>
  );
}

function columnName(t: TFunction, column: OptionalColumn): string {
  switch (column) {
    case "type":
      return t("equipment.columns.type");
    case "fuel":
      return t("equipment.columns.fuelType");
    case "threshold":
      return t("equipment.columns.threshold");
    case "interval":
      return t("equipment.columns.serviceInterval");
    case "status":
      return t("equipment.columns.status");
    case "parts":
      return t("equipment.columns.parts");
    case "updated":
      return t("equipment.columns.lastUpdated");
  }
}
