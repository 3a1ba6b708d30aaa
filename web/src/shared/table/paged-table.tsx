import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import type { Column } from "./column";
import { DataTable } from "./data-table";
import type { Pages } from "./use-pages";

/** A table that loads pages while scrolling, with its loading and error states. */
export function PagedTable<Row extends { id: string }>({
  label,
  columns,
  pages: { query, rows, more },
  failed,
  restFailed,
  empty,
  end,
}: {
  /** Names the table for screen readers. */
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  pages: Pages<Row>;
  /** The error texts of the first and of later pages. */
  failed: string;
  restFailed: string;
  /** Nothing while the first rows are still searched for. */
  empty: ReactNode;
  /** Shown under the last row when all pages are loaded. */
  end?: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const later = query.isFetchNextPageError;
  const failure = query.error && (
    <ErrorPanel
      title={later ? restFailed : failed}
      reason={errorText(query.error)}
      onRetry={() => void (later ? query.fetchNextPage() : query.refetch())}
      retrying={query.isFetching}
    />
  );
  return (
    <>
      {!later && failure}
      {query.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows label={t("common.loading")} />
        </div>
      )}
      {rows && (rows.length > 0 || empty) && (
        <DataTable
          label={label}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          onEndReached={more}
          tableFrom={720}
          stale={query.isPlaceholderData}
          empty={empty}
        />
      )}
      {rows && rows.length > 0 && !query.hasNextPage && end}
      {query.isFetchingNextPage && <SkeletonRows rows={2} label={t("common.loading")} />}
      {later && failure}
    </>
  );
}
