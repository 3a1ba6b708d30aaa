import type { UseQueryResult } from "@tanstack/react-query";
import { ArrowDown, Download } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Employee, ListEmployeesResponse } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import { DataTable } from "#/shared/table/data-table";
import { useSearchText } from "#/shared/table/use-search-text";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SearchInput } from "#/shared/ui/search-input";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useLastReports } from "./last-reports";
import { useOperatorColumns } from "./operators-columns";
import { NoMatch } from "./operators-empty";
import { operatorsOf } from "./queries";
import { manyOperators, searchOperators } from "./search";
import { useOperatorsExport } from "./use-operators-export";

export interface OperatorsSectionProps {
  people: UseQueryResult<ListEmployeesResponse>;
  company: string;
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
  onEdit: (operator: Employee) => void;
  onReset: (operator: Employee) => void;
  onRemove: (operator: Employee) => void;
  editBlocked: string | undefined;
  /** Shown while there are no operators. */
  empty: ReactNode;
}

export function OperatorsSection(props: OperatorsSectionProps) {
  const { people, search, onSearch, empty } = props;
  const { t } = useTranslation();
  const errorText = useErrorText();
  const all = useMemo(() => people.data && operatorsOf(people.data.employees), [people.data]);
  const rows = useMemo(() => searchOperators(all ?? [], search), [all, search]);
  const lastReports = useLastReports();
  const columns = useOperatorColumns({ ...props, lastReports });
  const exportCsv = useOperatorsExport(props.company, lastReports);
  const searched = Boolean(search?.trim());
  return (
    <section aria-labelledby="operators-heading" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="operators-heading" className="text-lg font-semibold">
          {all ? t("operators.heading", { count: all.length }) : t("operators.headingLoading")}
        </h2>
        <Button
          disabledReason={
            all ? undefined : people.isPending ? t("common.loading") : t("operators.loadFailed")
          }
          onClick={() => exportCsv(rows, searched && (all?.length ?? 0) > 0)}
        >
          <Download aria-hidden className="size-4" />
          {t("operators.export.action")}
        </Button>
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
      {all && (
        <DataTable
          label={t("shell.titles.operators")}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          tableFrom={720}
          empty={
            searched && all.length > 0 ? <NoMatch onClear={() => onSearch(undefined)} /> : empty
          }
        />
      )}
    </section>
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
        <p role="status" className="text-sm text-muted">
          {t("operators.shown", { count: of, shown: format.number(shown) })}
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
