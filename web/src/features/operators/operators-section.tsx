import type { UseQueryResult } from "@tanstack/react-query";
import { ArrowDown, Download, IdCard, Printer, Trash2 } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Employee, ListEmployeesResponse } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import { DataTable } from "#/shared/table/data-table";
import { SelectionBar, StartSelection } from "#/shared/table/selection-bar";
import { SortSelect, useAddressSort } from "#/shared/table/sort-select";
import { listSelection } from "#/shared/table/use-list-selection";
import { useSearchText } from "#/shared/table/use-search-text";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SearchInput } from "#/shared/ui/search-input";
import { Shown } from "#/shared/ui/shown";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useLastReports } from "./last-reports";
import { useOperatorColumns } from "./operators-columns";
import { NoMatch } from "./operators-empty";
import { fullName, knownOperators } from "./queries";
import { manyOperators, searchOperators } from "./search";
import { useOperatorsExport } from "./use-operators-export";
import { useOperatorsPrint } from "./use-operators-print";

const useListSelection = listSelection<Employee>();

export interface OperatorsSectionProps {
  people: UseQueryResult<ListEmployeesResponse>;
  company: string;
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
  onEdit: (operator: Employee) => void;
  onReset: (operator: Employee) => void;
  onRemove: (operator: Employee) => void;
  /** Prints the access cards of these. */
  onPrintCards: (operators: readonly Employee[]) => void;
  onRemoveMany: (operators: readonly Employee[]) => void;
  editBlocked: string | undefined;
  /** Shown while there are no operators. */
  empty: ReactNode;
}

export function OperatorsSection(props: OperatorsSectionProps) {
  const { people, search, onSearch, empty } = props;
  const { t } = useTranslation();
  const errorText = useErrorText();
  const all = useMemo(() => knownOperators(people), [people]);
  const rows = useMemo(() => searchOperators(all ?? [], search), [all, search]);
  const lastReports = useLastReports();
  const columns = useOperatorColumns({ ...props, lastReports });
  const exportCsv = useOperatorsExport(props.company, lastReports);
  const print = useOperatorsPrint(lastReports);
  const searched = Boolean(search?.trim());
  const order = useAddressSort();
  const selection = useListSelection(rows, fullName);
  const selected = selection.chosen.filter(({ id }) => all?.some((row) => row.id === id));
  const waiting = all
    ? undefined
    : people.isPending
      ? t("common.loading")
      : t("operators.loadFailed");
  return (
    <section aria-labelledby="operators-heading" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="operators-heading" className="text-lg font-semibold">
          {all ? t("operators.heading", { count: all.length }) : t("operators.headingLoading")}
        </h2>
        <div className="no-print flex flex-wrap gap-2 max-md:w-full max-md:[&>*]:grow">
          <StartSelection selection={selection} rows={rows} />
          <Button
            disabledReason={waiting}
            onClick={() => exportCsv(rows, searched && (all?.length ?? 0) > 0)}
          >
            <Download aria-hidden className="size-4" />
            {t("operators.export.action")}
          </Button>
          <Button
            disabledReason={
              waiting ?? (rows.length === 0 ? t("operators.nothingToPrint") : undefined)
            }
            onClick={() => print(rows, search?.trim())}
          >
            <Printer aria-hidden className="size-4" />
            {t("operators.print")}
          </Button>
        </div>
      </div>
      {people.error && (
        <ErrorPanel
          title={t("operators.loadFailed")}
          reason={errorText(people.error)}
          onRetry={() => void people.refetch()}
          retrying={people.isFetching}
        />
      )}
      {people.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows rows={4} label={t("common.loading")} />
        </div>
      )}
      {all && (all.length > manyOperators || searched) && (
        <Search search={search} onSearch={onSearch} shown={rows.length} of={all.length} />
      )}
      {selection.column && (
        <SelectionBar
          selection={selection}
          count={selected.length}
          matching={rows.length}
          text={
            selected.length > 0
              ? t("operators.selection.selected", { count: selected.length })
              : t("operators.selection.all", { count: rows.length })
          }
        >
          <SelectionActions {...props} selected={selected} onExport={exportCsv} />
        </SelectionBar>
      )}
      {all && (
        <div className="@container space-y-3">
          {rows.length > 1 && <SortSelect columns={columns} {...order} />}
          <DataTable
            label={t("shell.titles.operators")}
            columns={selection.column ? [selection.column, ...columns] : columns}
            onSorted={selection.onSorted}
            {...order}
            rows={rows}
            rowKey={(row) => row.id}
            tableFrom={720}
            empty={
              searched && all.length > 0 ? <NoMatch onClear={() => onSearch(undefined)} /> : empty
            }
          />
        </div>
      )}
    </section>
  );
}

function SelectionActions({
  selected,
  onPrintCards,
  onExport,
  onRemoveMany,
}: Pick<OperatorsSectionProps, "onPrintCards" | "onRemoveMany"> & {
  selected: readonly Employee[];
  onExport: ReturnType<typeof useOperatorsExport>;
}) {
  const { t } = useTranslation();
  const disabledReason = selected.length === 0 ? t("operators.selection.none") : undefined;
  return (
    <>
      <Button
        variant="primary"
        size="small"
        disabledReason={disabledReason}
        onClick={() => onPrintCards(selected)}
      >
        <IdCard aria-hidden className="size-4" />
        {t("operators.selection.cards")}
      </Button>
      <Button
        size="small"
        disabledReason={disabledReason}
        onClick={() => onExport(selected, false)}
      >
        <Download aria-hidden className="size-4" />
        {t("operators.export.action")}
      </Button>
      <Button
        size="small"
        variant="danger"
        disabledReason={disabledReason}
        onClick={() => onRemoveMany(selected)}
      >
        <Trash2 aria-hidden className="size-4" />
        {t("operators.selection.remove")}
      </Button>
    </>
  );
}

function Search({
  search,
  onSearch,
  shown,
  of,
}: Pick<OperatorsSectionProps, "search" | "onSearch"> & { shown: number; of: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [text, type] = useSearchText(search, onSearch);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="w-full md:w-96">
        <SearchInput label={t("operators.search")} value={text} onChange={type} />
      </div>
      {search?.trim() && (
        <p className="text-sm">
          <Shown onClear={shown > 0 && (() => onSearch(undefined))}>
            {t("operators.shown", { count: of, shown: format.number(shown) })}
          </Shown>
        </p>
      )}
      <Button
        variant="quiet"
        size="small"
        onClick={goToManagers}
        className="max-md:-ml-3 md:ml-auto"
      >
        <ArrowDown aria-hidden className="size-4" />
        {t("operators.managers.heading")}
      </Button>
    </div>
  );
}

/** The owner and managers are listed below the operators. */
function goToManagers() {
  const heading = document.querySelector<HTMLElement>("#managers-heading");
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView();
}
