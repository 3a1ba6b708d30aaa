import { Download, Printer, SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCompanyZone } from "#/shared/use-company-day";
import { useFormat } from "#/shared/format/use-format";
import { PagedTable } from "#/shared/table/paged-table";
import type { Pages } from "#/shared/table/use-pages";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { FoldedHeader } from "#/shared/ui/folded-header";
import { Shown } from "#/shared/ui/shown";
import { useAuditColumns } from "./audit-columns";
import { FilterBar } from "./filter-bar";
import { isFiltered, noFilter, type AuditFilter } from "./filter";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { useAuditPages } from "./queries";
import { useAuditExport } from "./use-audit-export";
import { useAuditPrint } from "./use-audit-print";

export function AuditLogPage({
  filter,
  onFilter,
}: {
  filter: AuditFilter;
  /** Merges these values into the filter. */
  onFilter: (change: Partial<AuditFilter>) => void;
}) {
  const { t } = useTranslation();
  const zone = useCompanyZone();
  const pages = useAuditPages(filter, zone);
  const { exportLog, exporting } = useAuditExport(filter, zone);
  const print = useAuditPrint(filter, zone);
  const columns = useAuditColumns(zone);
  const events = pages.rows;
  const clear = () => onFilter(noFilter);
  return (
    <>
      <FoldedHeader
        title={t("shell.titles.auditLog")}
        description={
          <>
            {t("audit-log.subtitle")} {t("audit-log.zone", { zone })}
          </>
        }
        secondary={
          <>
            <Button
              onClick={() => exportLog(events?.length === 0)}
              pending={exporting}
              pendingLabel={t("audit-log.export.pending")}
            >
              <Download aria-hidden className="size-4" />
              {t("audit-log.export.action")}
            </Button>
            <Button
              onClick={() => print.mutate()}
              pending={print.isPending}
              pendingLabel={t("audit-log.print.pending")}
              disabledReason={events?.length === 0 ? t("audit-log.print.none") : undefined}
            >
              <Printer aria-hidden className="size-4" />
              {t("audit-log.print.action")}
            </Button>
          </>
        }
      />
      <div className="space-y-3">
        <FilterBar filter={filter} onFilter={onFilter} events={events} />
        <Count pages={pages} onClear={isFiltered(filter) && clear} />
        <PagedTable
          label={t("shell.titles.auditLog")}
          columns={columns}
          pages={pages}
          failed={t("audit-log.loadFailed")}
          restFailed={t("audit-log.restFailed")}
          empty={<Nothing filtered={isFiltered(filter)} onClear={clear} />}
          end={
            !isFiltered(filter) && (
              <p className="text-center text-sm text-muted">{t("audit-log.end")}</p>
            )
          }
        />
      </div>
    </>
  );
}

function Count({
  pages: { query, rows },
  onClear,
}: {
  pages: Pages<AuditEvent>;
  onClear: (() => void) | false;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const count = rows?.length ?? 0;
  const numbers = { count, shown: format.number(count) };
  return (
    <p className="text-sm">
      <Shown onClear={count > 0 && onClear}>
        {count > 0 &&
          (query.hasNextPage ? t("audit-log.shownSoFar", numbers) : t("audit-log.shown", numbers))}
      </Shown>
    </p>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  return filtered ? (
    <Empty
      icon={<SearchX aria-hidden />}
      title={t("audit-log.noMatch.title")}
      description={t("audit-log.noMatch.text")}
      action={<Button onClick={onClear}>{t("audit-log.filter.clear")}</Button>}
    />
  ) : (
    <Empty
      drawing="log"
      title={t("audit-log.empty.title")}
      description={t("audit-log.empty.text")}
    />
  );
}
