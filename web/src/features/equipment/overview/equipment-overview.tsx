import { Link, linkOptions } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isFiltered, unfiltered, type EquipmentFilter } from "#/domain/equipment-filter";
import { serviceStatusWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { useEquipmentColumns } from "../table/equipment-columns";
import { EquipmentTable } from "../table/equipment-table";
import { NoMatch } from "../table/no-match";
import { ViewMenu } from "../views/view-menu";
import { useOverviewPages } from "./use-overview-pages";
import { useEquipmentActions } from "../dialogs/use-equipment-actions";

const shownAtFirst = 10;

export function EquipmentOverview({
  filter,
  onFilter,
  addAction,
}: {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
  /** Shown when there is no equipment yet. */
  addAction: ReactNode;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const pages = useOverviewPages(filter);
  const [showAll, setShowAll] = useState(false);
  const { act, dialog } = useEquipmentActions();
  const columns = useEquipmentColumns({
    screen: "overview",
    onAction: act,
    chosen: filter.columns,
  });
  const { rows = [], matching } = pages;
  // Initially everything that needs attention, filled up to ten rows; the rest is expanded on
  // request.
  const urgent = rows.filter((row) => serviceStatusWord(row.serviceStatus) !== "good").length;
  const limit = Math.max(shownAtFirst, filter.sort ? 0 : urgent);
  const folded = !showAll && matching > limit;
  const shown = folded ? Math.min(limit, rows.length) : rows.length;
  return (
    <section aria-labelledby="equipment-overview" className="space-y-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id="equipment-overview" className="grow text-lg font-semibold">
          {t("equipment.overview.title")}
        </h2>
        <p role="status" className="text-sm text-muted">
          {matching > 0 &&
            t("equipment.overview.shown", {
              count: matching,
              shown: format.number(shown),
              total: format.number(matching),
            })}
        </p>
        <ViewMenu screen="overview" filter={filter} onFilter={onFilter} />
        <Link
          {...listLink(filter)}
          className="no-print inline-flex min-h-11 items-center text-sm font-semibold text-accent hover:underline desk:min-h-6"
        >
          {t("equipment.overview.openList")}
        </Link>
      </div>
      <EquipmentTable
        label={t("equipment.overview.title")}
        columns={columns}
        pages={pages}
        filter={filter}
        ownSort="urgency"
        onFilter={onFilter}
        limit={folded ? limit : undefined}
        empty={
          isFiltered(filter) ? (
            <NoMatch onClear={() => onFilter(unfiltered)} />
          ) : (
            <Empty
              drawing="machine"
              title={t("equipment.overview.emptyTitle")}
              description={t("equipment.overview.emptyText")}
              action={addAction}
            />
          )
        }
      />
      {matching > limit && (
        <div className="text-center">
          <Button onClick={() => setShowAll(!showAll)}>
            {folded
              ? t("equipment.overview.showAll", {
                  count: matching,
                  total: format.number(matching),
                })
              : t("equipment.overview.showFewer")}
          </Button>
        </div>
      )}
      {dialog}
    </section>
  );
}

/** The page with the whole list of this filter. */
function listLink({ status, ...search }: EquipmentFilter) {
  return (search.stale ?? search.operational ?? search.due !== undefined)
    ? linkOptions({ to: "/equipment-list", search })
    : linkOptions({ to: "/equipment/$status", params: { status: status ?? "all" }, search });
}
