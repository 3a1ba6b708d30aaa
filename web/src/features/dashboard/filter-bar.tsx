import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  byStatus,
  statusFilters,
  statusOfFilter,
  type EquipmentFilter,
  type StatusFilter,
} from "#/domain/equipment-filter";
import { equipmentTypes } from "#/domain/equipment-types";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useSearchText } from "#/shared/table/use-search-text";
import { Button } from "#/shared/ui/button";
import { SearchInput } from "#/shared/ui/search-input";
import { Select } from "#/shared/ui/select";

export function FilterBar({
  filter,
  onFilter,
  exportButton,
  onAdd,
  addBlocked,
}: {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
  exportButton: ReactNode;
  onAdd: () => void;
  /** Why equipment can't be added now. */
  addBlocked: string | undefined;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const [search, setSearch] = useSearchText(filter.search, (next) => onFilter({ search: next }));
  return (
    <div
      role="search"
      aria-label={t("dashboard.filter.label")}
      className="no-print grid grid-cols-2 gap-2 lg:grid-cols-[minmax(0,1fr)_12.5rem_10.5rem_auto_auto]"
    >
      <div className="col-span-2 lg:col-span-1">
        <SearchInput label={t("dashboard.filter.search")} value={search} onChange={setSearch} />
      </div>
      <Select<StatusFilter | "stale">
        label={t("dashboard.filter.status")}
        all={t("dashboard.filter.allStatuses")}
        value={filter.stale ? "stale" : filter.status}
        options={[
          ...statusFilters.map((status) => ({
            value: status,
            label: labels.badge(statusOfFilter[status]),
          })),
          { value: "stale", label: t("equipment.age.stale") },
        ]}
        onChange={(status) => onFilter(byStatus(status))}
      />
      <Select
        label={t("dashboard.filter.type")}
        all={t("dashboard.filter.allTypes")}
        value={filter.type}
        options={equipmentTypes.map((type) => ({ value: type, label: labels.type(type) }))}
        onChange={(type) => onFilter({ type })}
      />
      <div className="grid">{exportButton}</div>
      <div className="grid">
        <Button variant="primary" onClick={onAdd} disabledReason={addBlocked}>
          <Plus aria-hidden className="size-4" />
          {t("dashboard.filter.add")}
        </Button>
      </div>
    </div>
  );
}
