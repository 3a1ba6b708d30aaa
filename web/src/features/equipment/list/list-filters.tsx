import { ListFilter } from "lucide-react";
import { clsx } from "clsx";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { statusFilters, statusOfFilter, type EquipmentFilter } from "#/domain/equipment-filter";
import { equipmentTypes } from "#/domain/equipment-types";
import { operationalStatuses } from "#/domain/equipment-words";
import { useSearchText } from "#/shared/table/use-search-text";
import { Button } from "#/shared/ui/button";
import { SearchInput } from "#/shared/ui/search-input";
import { Select } from "#/shared/ui/select";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { GroupFilter } from "../table/group-filter";
import { useEarlierWarnings } from "../table/shown-status";

/** Search and filters; on a phone the filters are folded. */
export function ListFilters({
  filter,
  onFilter,
  withStatus,
  viewMenu,
}: {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
  /** Whether the service status is a filter, not the page. */
  withStatus: boolean;
  viewMenu: ReactNode;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const earlierWarnings = useEarlierWarnings();
  const [search, setSearch] = useSearchText(filter.search, (next) => onFilter({ search: next }));
  const [open, setOpen] = useState(false);
  const { status, type, operational, stale, due, group } = filter;
  const count = [
    withStatus && status,
    type,
    operational,
    stale,
    due !== undefined,
    group !== undefined,
  ].filter(Boolean).length;
  return (
    <div role="search" aria-label={t("equipment-list.searchLabel")} className="no-print space-y-2">
      <div className="flex gap-2">
        <div className="min-w-0 flex-1">
          <SearchInput label={t("equipment-list.search")} value={search} onChange={setSearch} />
        </div>
        <Button aria-expanded={open} onClick={() => setOpen(!open)} className="md:hidden">
          <ListFilter aria-hidden className="size-4" />
          {count > 0 ? t("equipment-list.filtersChosen", { count }) : t("equipment-list.filters")}
        </Button>
        <div className="max-md:hidden">{viewMenu}</div>
      </div>
      <div
        className={clsx(
          "gap-2 md:grid md:grid-cols-3 lg:auto-cols-auto lg:grid-flow-col lg:grid-cols-none",
          open ? "grid grid-cols-2" : "max-md:hidden",
        )}
      >
        {withStatus && (
          <Select
            label={t("equipment.columns.serviceStatus")}
            all={t("equipment-list.allStatuses")}
            value={status}
            options={statusFilters.map((each) => ({
              value: each,
              label: labels.badge(statusOfFilter[each]),
            }))}
            onChange={(next) => onFilter({ status: next })}
          />
        )}
        <GroupFilter value={group} onChange={(next) => onFilter({ group: next })} />
        <Select
          label={t("equipment.columns.type")}
          all={t("equipment-list.allTypes")}
          value={type}
          options={equipmentTypes.map((each) => ({ value: each, label: labels.type(each) }))}
          onChange={(next) => onFilter({ type: next })}
        />
        <Select
          label={t("equipment.operational.label")}
          all={t("equipment-list.allOperational")}
          value={operational}
          options={operationalStatuses.map((each) => ({
            value: each,
            label: operationalLabel(t, each),
          }))}
          onChange={(next) => onFilter({ operational: next })}
        />
        <Select
          label={t("equipment-list.readings")}
          all={t("equipment-list.allReadings")}
          value={stale ? "stale" : undefined}
          options={[{ value: "stale", label: t("equipment.age.stale") }]}
          onChange={(next) => onFilter({ stale: next && true })}
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
        <div className="grid md:hidden">{viewMenu}</div>
      </div>
      {withStatus && status && earlierWarnings && (
        <p className="text-sm text-muted">{t("equipment-list.withoutEarlierWarnings")}</p>
      )}
    </div>
  );
}
