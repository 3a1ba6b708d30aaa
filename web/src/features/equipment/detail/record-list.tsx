import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment, HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { UsageDialog } from "../dialogs/usage-dialog";
import { EditServiceDialog } from "./edit-service-dialog";
import { RecordItem } from "./record-item";
import { visitsOf } from "./visits";
import { VoidDialog } from "./void-dialog";

/** The part of an infinite query that a list needs. */
interface Pages {
  isPending: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  hasNextPage: boolean;
  error: Error | null;
  refetch: () => Promise<unknown>;
  fetchNextPage: () => Promise<unknown>;
}

/** Shows the state of the query and a button for older entries; the caller renders the list. */
export function PagedList({
  pages,
  count,
  failed,
  empty,
  children,
}: {
  pages: Pages;
  /** The number of loaded entries; undefined while loading. */
  count: number | undefined;
  failed: string;
  empty: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  return (
    <>
      {pages.error && (
        <div className="p-4">
          <ErrorPanel
            title={failed}
            reason={errorText(pages.error)}
            onRetry={() => void (count === undefined ? pages.refetch() : pages.fetchNextPage())}
            retrying={pages.isFetching}
          />
        </div>
      )}
      {pages.isPending && <SkeletonRows rows={5} label={t("common.loading")} />}
      {count === 0 && empty}
      {count !== undefined && count > 0 && children}
      {pages.hasNextPage && !pages.error && (
        <div className="no-print border-t border-line p-3 text-center">
          <Button
            size="small"
            onClick={() => void pages.fetchNextPage()}
            pending={pages.isFetchingNextPage}
            pendingLabel={t("common.loading")}
          >
            {t("equipment-detail.more")}
          </Button>
        </div>
      )}
    </>
  );
}

/** A list of ledger entries, with one item for a service of several tasks; with `equipment`, entries can be voided and services edited. */
export function Records({
  label,
  records,
  equipment,
  unusual,
  byMonth = false,
  selectBox,
  most,
}: {
  /** Names the list for screen readers. */
  label: string;
  records: readonly HistoryRecord[];
  equipment: Equipment | undefined;
  /** Ids of entries with an unusual consumption. */
  unusual?: readonly string[] | undefined;
  /** Whether the first entry of each month has its heading. */
  byMonth?: boolean;
  /** The checkbox of an entry while entries are selected. */
  selectBox?: ((record: HistoryRecord) => ReactNode) | null;
  /** The number of items that are shown; all if absent. */
  most?: number | undefined;
}) {
  const { t } = useTranslation();
  const monthOf = useMonthOf();
  // Each entry can be selected.
  const visits = selectBox
    ? records.map((record) => ({ record, parts: [record] }))
    : visitsOf(records, t("equipment-detail.tasks.regular"));
  const newMonth = (record: HistoryRecord, before: HistoryRecord | undefined) => {
    const month = monthOf(record);
    return before && monthOf(before) === month ? undefined : month;
  };
  const [service, setService] = useState<HistoryRecord | null>(null);
  const [recordToVoid, setRecordToVoid] = useState<HistoryRecord | null>(null);
  const [reentry, setReentry] = useState<{ equipment: Equipment; at: Date | undefined } | null>(
    null,
  );
  return (
    <>
      <ul aria-label={label} className="divide-y divide-line">
        {visits.slice(0, most).map(({ record, parts }, index) => (
          <RecordItem
            key={record.id}
            record={record}
            parts={parts}
            unusual={unusual?.includes(record.id)}
            month={byMonth ? newMonth(record, visits[index - 1]?.record) : undefined}
            selectBox={selectBox?.(record)}
            onEdit={equipment ? setService : undefined}
            onVoid={equipment ? setRecordToVoid : undefined}
          />
        ))}
      </ul>
      {equipment && service && (
        <EditServiceDialog
          equipment={equipment}
          record={service}
          records={records}
          onClose={() => setService(null)}
        />
      )}
      {equipment && recordToVoid && (
        <VoidDialog
          equipment={equipment}
          record={recordToVoid}
          hasOtherTasks={visitsOf(records, "").some(
            ({ parts }) => parts.length > 1 && parts.some(({ id }) => id === recordToVoid.id),
          )}
          onReenter={(now) => {
            const { capturedAt } = recordToVoid;
            setReentry({ equipment: now, at: capturedAt && timestampDate(capturedAt) });
          }}
          onClose={() => setRecordToVoid(null)}
        />
      )}
      {reentry && (
        <UsageDialog
          equipment={reentry.equipment}
          start="reading"
          at={reentry.at}
          onClose={() => setReentry(null)}
        />
      )}
    </>
  );
}

/** When it happened: "November 2026", in the reader's time zone. */
function useMonthOf(): (record: HistoryRecord) => string {
  const format = useFormat();
  return ({ performedOn, capturedAt, createdAt }) => {
    if (performedOn !== "") return format.monthYear(performedOn.slice(0, 7));
    const at = capturedAt ?? createdAt;
    if (!at) return "";
    const when = timestampDate(at);
    return format.monthYear(
      `${when.getFullYear()}-${String(when.getMonth() + 1).padStart(2, "0")}`,
    );
  };
}
