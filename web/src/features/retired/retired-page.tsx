import { Download, Printer, SearchX } from "lucide-react";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { RetiredEquipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { DataTable } from "#/shared/table/data-table";
import { SelectionBar, StartSelection } from "#/shared/table/selection-bar";
import { SortSelect, useAddressSort } from "#/shared/table/sort-select";
import { listSelection, nameOf } from "#/shared/table/use-list-selection";
import { useSearchText } from "#/shared/table/use-search-text";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { FoldedHeader } from "#/shared/ui/folded-header";
import { SearchInput } from "#/shared/ui/search-input";
import { Shown } from "#/shared/ui/shown";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { searchArchive, totalsOf } from "./archive";
import { useArchive } from "./queries";
import { RestoreDialog } from "#/shared/restore/restore-dialog";
import { RestoreMany } from "./restore-many";
import { useRetiredColumns } from "./retired-columns";
import { RetiredSummary } from "./retired-summary";
import { useRetiredExport } from "./use-retired-export";
import { useRetiredPrint } from "./use-retired-print";

const useListSelection = listSelection<RetiredEquipment>();

export function RetiredPage({
  search,
  onSearch,
  tabs,
}: {
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
  /** The other pages of equipment. */
  tabs: ReactNode;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const errorText = useErrorText();
  const archive = useArchive();
  const exportCsv = useRetiredExport();
  const print = useRetiredPrint();
  const [text, type] = useSearchText(search, onSearch);
  const [restoring, setRestoring] = useState<RetiredEquipment | null>(null);
  const columns = useRetiredColumns(useCallback((row) => setRestoring(row), []));
  const all = archive.rows;
  const rows = useMemo(() => searchArchive(all ?? [], search), [all, search]);
  const order = useAddressSort();
  const selection = useListSelection(rows, nameOf);
  // One may have been restored on its own.
  const selected = selection.chosen.filter(({ id }) => all?.some((row) => row.id === id));
  const [restoringMany, setRestoringMany] = useState(false);
  const totals = useMemo(() => all && totalsOf(all), [all]);
  const searched = Boolean(search?.trim());
  const clear = () => onSearch(undefined);
  const waiting = archive.whole
    ? undefined
    : archive.error
      ? t("retired.incomplete")
      : t("retired.stillLoading");
  return (
    <>
      <FoldedHeader
        title={t("shell.titles.retired")}
        description={t("retired.subtitle")}
        secondary={
          <>
            <StartSelection selection={selection} rows={rows} />
            <Button disabledReason={waiting} onClick={() => exportCsv(rows, searched)}>
              <Download aria-hidden className="size-4" />
              {t("retired.export.action")}
            </Button>
            <Button
              disabledReason={
                waiting ?? (rows.length === 0 ? t("retired.nothingToPrint") : undefined)
              }
              onClick={() => print(rows, search?.trim())}
            >
              <Printer aria-hidden className="size-4" />
              {t("retired.print")}
            </Button>
          </>
        }
      />
      {tabs}
      <div className="space-y-5">
        {archive.error && (
          <ErrorPanel
            title={all ? t("retired.restFailed") : t("retired.loadFailed")}
            reason={errorText(archive.error)}
            onRetry={archive.retry}
            retrying={archive.isFetching}
          />
        )}
        {(totals ?? archive.isPending) && <RetiredSummary totals={totals} whole={archive.whole} />}
        {archive.isPending && (
          <div className="rounded-card border border-line bg-raised">
            <SkeletonRows label={t("common.loading")} />
          </div>
        )}
        {all && all.length > 0 && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <div className="w-full md:w-96">
              <SearchInput label={t("retired.search")} value={text} onChange={type} />
            </div>
            {searched && (
              <p className="text-sm">
                <Shown onClear={rows.length > 0 && clear}>
                  {t("equipment-list.shown", {
                    count: all.length,
                    shown: format.number(rows.length),
                    total: format.number(all.length),
                  })}
                </Shown>
              </p>
            )}
          </div>
        )}
        {selection.column && (
          <SelectionBar selection={selection} count={selected.length} matching={rows.length}>
            <Button
              variant="primary"
              size="small"
              disabledReason={selected.length === 0 ? t("equipment-bulk.none") : undefined}
              onClick={() => setRestoringMany(true)}
            >
              {t("retired.restore.action")}
            </Button>
          </SelectionBar>
        )}
        {all && (
          <div className="@container space-y-3">
            {rows.length > 1 && <SortSelect columns={columns} {...order} />}
            <DataTable
              label={t("shell.titles.retired")}
              columns={selection.column ? [selection.column, ...columns] : columns}
              rows={rows}
              rowKey={(row) => row.id}
              onSorted={selection.onSorted}
              {...order}
              tableFrom={720}
              empty={
                searched && all.length > 0 ? (
                  <Empty
                    icon={<SearchX aria-hidden />}
                    title={t("retired.noMatch.title")}
                    description={t("retired.noMatch.text")}
                    action={<Button onClick={clear}>{t("retired.noMatch.clear")}</Button>}
                  />
                ) : (
                  <Empty
                    drawing="archive"
                    title={t("retired.empty.title")}
                    description={t("retired.empty.text")}
                  />
                )
              }
            />
          </div>
        )}
      </div>
      {restoringMany && (
        <RestoreMany
          rows={selected}
          onDone={selection.replace}
          onClose={() => setRestoringMany(false)}
        />
      )}
      {restoring && <RestoreDialog row={restoring} onClose={() => setRestoring(null)} />}
    </>
  );
}
