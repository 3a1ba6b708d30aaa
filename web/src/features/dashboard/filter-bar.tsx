import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  byChoice,
  choiceOf,
  choices,
  statusOfFilter,
  type Choice,
  type EquipmentFilter,
} from "#/domain/equipment-filter";
import { equipmentTypes } from "#/domain/equipment-types";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useSearchText } from "#/shared/table/use-search-text";
import { SearchInput } from "#/shared/ui/search-input";
import { Select } from "#/shared/ui/select";

export function FilterBar({
  filter,
  onFilter,
  exportButton,
  addButton,
}: {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
  exportButton: ReactNode;
  addButton: ReactNode;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const [search, setSearch] = useSearchText(filter.search, (next) => onFilter({ search: next }));
  const labelOf = (choice: Choice) => {
    switch (choice) {
      case "dueThisWeek":
        return t("dashboard.tiles.dueThisWeek");
      case "stale":
        return t("equipment.age.stale");
      case "outOfService":
        return t("equipment.operational.outOfService");
      case "good":
      case "approaching":
      case "due":
      case "overdue":
        return labels.badge(statusOfFilter[choice]);
    }
  };
  return (
    <div
      role="search"
      aria-label={t("dashboard.filter.label")}
      className="no-print grid grid-cols-2 gap-2 lg:grid-cols-[minmax(0,1fr)_12.5rem_10.5rem_auto_auto]"
    >
      <div className="col-span-2 lg:col-span-1">
        <SearchInput label={t("dashboard.filter.search")} value={search} onChange={setSearch} />
      </div>
      <Select
        label={t("dashboard.filter.status")}
        all={t("dashboard.filter.allStatuses")}
        value={choiceOf(filter)}
        options={choices.map((choice) => ({ value: choice, label: labelOf(choice) }))}
        onChange={(choice) => onFilter(byChoice(choice))}
      />
      <Select
        label={t("dashboard.filter.type")}
        all={t("dashboard.filter.allTypes")}
        value={filter.type}
        options={equipmentTypes.map((type) => ({ value: type, label: labels.type(type) }))}
        onChange={(type) => onFilter({ type })}
      />
      <div className="grid">{exportButton}</div>
      <div className="grid">{addButton}</div>
    </div>
  );
}
