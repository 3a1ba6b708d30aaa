import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { operationalStatuses } from "#/domain/equipment-words";
import { useSearchText } from "#/shared/table/use-search-text";
import { SearchInput } from "#/shared/ui/search-input";
import { Select } from "#/shared/ui/select";
import { operationalLabel } from "#/shared/words/operational-label";
import { GroupFilter } from "../table/group-filter";

/** Search, group, operational status, age of the reading and projected due date. */
export function ListFilters({
  filter,
  onFilter,
}: {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
}) {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchText(filter.search, (next) => onFilter({ search: next }));
  const { due } = filter;
  return (
    <div
      role="search"
      aria-label={t("equipment-list.searchLabel")}
      className="no-print flex flex-wrap gap-2 max-sm:flex-col sm:[&>*]:min-w-40 sm:[&>*]:flex-1"
    >
      <div className="sm:min-w-72!">
        <SearchInput label={t("equipment-list.search")} value={search} onChange={setSearch} />
      </div>
      <GroupFilter value={filter.group} onChange={(group) => onFilter({ group })} />
      <Select
        label={t("equipment.operational.label")}
        all={t("equipment-list.allOperational")}
        value={filter.operational}
        options={operationalStatuses.map((status) => ({
          value: status,
          label: operationalLabel(t, status),
        }))}
        onChange={(operational) => onFilter({ operational })}
      />
      <Select
        label={t("equipment-list.readings")}
        all={t("equipment-list.allReadings")}
        value={filter.stale ? "stale" : undefined}
        options={[{ value: "stale", label: t("equipment.age.stale") }]}
        onChange={(stale) => onFilter({ stale: stale && true })}
      />
      <Select
        label={t("equipment-list.due")}
        all={t("equipment-list.dueAny")}
        value={due === undefined ? undefined : String(due)}
        options={[
          { value: "7", label: t("equipment-list.due7") },
          { value: "30", label: t("equipment-list.due30") },
        ]}
        onChange={(days) => onFilter({ due: days === undefined ? undefined : Number(days) })}
      />
    </div>
  );
}
