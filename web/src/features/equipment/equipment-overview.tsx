import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { SearchX, Tractor } from "lucide-react";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  bySeverityThenName,
  filterEquipment,
  isFiltered,
  type EquipmentFilter,
} from "#/domain/equipment-filter";
import { serviceStatusWord } from "#/domain/equipment-words";
import { DataTable } from "#/shared/table/data-table";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { EquipmentDialogs } from "./equipment-dialogs";
import { useOverviewColumns } from "./overview-columns";
import { equipmentListQuery } from "./queries";
import type { RowAction } from "./row-actions";

const shownAtFirst = 10;

/** The list of equipment with everything that can be done to a row. */
export function EquipmentOverview({
  filter,
  onClearFilters,
  onEdit,
  addAction,
}: {
  filter: EquipmentFilter;
  onClearFilters: () => void;
  onEdit: (id: string) => void;
  /** The first action where there is nothing yet. */
  addAction: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const list = useQuery(equipmentListQuery(useTransport()));
  const [asked, setAsked] = useState<{ action: RowAction; equipment: Equipment } | null>(null);
  const [whole, setWhole] = useState(false);
  const act = useCallback(
    (action: RowAction, equipment: Equipment) =>
      action === "edit" ? onEdit(equipment.id) : setAsked({ action, equipment }),
    [onEdit],
  );
  const columns = useOverviewColumns(act);
  const all = list.data?.equipment;
  const rows = useMemo(
    () => filterEquipment(all ?? [], filter).sort(bySeverityThenName),
    [all, filter],
  );
  // At first everything that needs attention, filled up to ten; what comes below stays in reach.
  const urgent = rows.filter((row) => serviceStatusWord(row.serviceStatus) !== "good").length;
  const limit = whole ? rows.length : Math.max(shownAtFirst, urgent);
  return (
    <section aria-labelledby="equipment-overview" className="space-y-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="equipment-overview" className="text-lg font-semibold">
          {t("equipment.overview.title")}
        </h2>
        {all && isFiltered(filter) && (
          <p role="status" className="text-sm text-muted">
            {t("equipment.overview.shown", { count: all.length, shown: rows.length })}
          </p>
        )}
      </div>
      {list.error && (
        <ErrorPanel
          title={t("equipment.overview.failed")}
          reason={errorText(list.error)}
          onRetry={() => void list.refetch()}
          retrying={list.isFetching}
        />
      )}
      {list.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows label={t("common.loading")} />
        </div>
      )}
      {all && (
        <DataTable
          label={t("equipment.overview.title")}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          limit={limit}
          empty={
            all.length === 0 ? (
              <Empty
                icon={<Tractor aria-hidden />}
                title={t("equipment.overview.emptyTitle")}
                description={t("equipment.overview.emptyText")}
                action={addAction}
              />
            ) : (
              <Empty
                icon={<SearchX aria-hidden />}
                title={t("equipment.overview.noMatchTitle")}
                description={t("equipment.overview.noMatchText")}
                action={
                  <Button onClick={onClearFilters}>{t("equipment.overview.clearFilters")}</Button>
                }
              />
            )
          }
        />
      )}
      {rows.length > limit && (
        <div className="text-center">
          <Button onClick={() => setWhole(true)}>
            {t("equipment.overview.showAll", { count: rows.length })}
          </Button>
        </div>
      )}
      {asked && (
        <EquipmentDialogs
          action={asked.action}
          equipment={asked.equipment}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  );
}
