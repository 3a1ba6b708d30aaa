import { useQuery as useCall, useTransport } from "@connectrpc/connect-query";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Download, LoaderCircle } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import {
  EquipmentService,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useErrorText } from "#/api/error-text";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useZoneNote } from "#/shared/use-zone-note";
import { HistoryItem } from "./history-item";
import { historyQuery } from "./queries";
import { useExportHistory } from "./use-export-history";
import { useNearEnd } from "./use-near-end";

export function HistoryCard() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const history = useInfiniteQuery(historyQuery(useTransport()));
  const records = history.data?.pages.flatMap((page) => page.records);
  const unitNumbers = useUnitNumbers(records);
  const { exportHistory, exporting } = useExportHistory();
  const zoneNote = useZoneNote();
  const box = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchNextPageError } = history;
  // After a failure only Try again sends another request.
  const waiting = hasNextPage && !isFetching && !isFetchNextPageError;
  useNearEnd(box, waiting ? history.data?.pages.length : undefined, () => {
    void history.fetchNextPage();
  });
  const failure = history.error && (
    <div className="px-4 pb-4 first:pt-4">
      <ErrorPanel
        title={t("equipment-history.failed")}
        reason={errorText(history.error)}
        onRetry={() => void (records ? history.fetchNextPage() : history.refetch())}
        retrying={isFetching}
      />
    </div>
  );
  return (
    <Card
      flush
      title={t("equipment-history.title")}
      description={zoneNote}
      actions={
        <Button
          size="small"
          onClick={exportHistory}
          pending={exporting}
          pendingLabel={t("equipment-history.exporting")}
          disabledReason={
            records === undefined
              ? t("equipment-history.notLoaded")
              : records.length === 0
                ? t("equipment-history.nothingToExport")
                : undefined
          }
        >
          <Download aria-hidden className="size-4" />
          {t("equipment-history.export")}
        </Button>
      }
    >
      {!records && failure}
      {history.isPending && <SkeletonRows rows={5} label={t("common.loading")} />}
      {records?.length === 0 && (
        <Empty
          drawing="history"
          title={t("equipment-history.emptyTitle")}
          description={t("equipment-history.emptyText")}
        />
      )}
      {records && records.length > 0 && (
        // Focusable, so that it can be scrolled by keyboard.
        <div
          ref={box}
          role="region"
          aria-label={t("equipment-history.title")}
          tabIndex={0}
          className="relative h-[400px] overflow-y-auto border-t print:h-auto print:overflow-visible border-line focus-visible:-outline-offset-2"
        >
          <ul className="divide-y divide-line">
            {records.map((record) => (
              <HistoryItem
                key={record.id}
                record={record}
                unitNumber={unitNumbers.get(record.equipmentId)}
              />
            ))}
          </ul>
          {failure}
          {history.isFetchingNextPage && (
            <p role="status" className="flex justify-center gap-2 p-3 text-sm text-muted">
              <LoaderCircle aria-hidden className="size-4 animate-spin" />
              {t("equipment-history.loadingOlder")}
            </p>
          )}
        </div>
      )}
    </Card>
  );
}

/** By the id of the machine; without those of deleted machines. */
function useUnitNumbers(records: readonly HistoryRecord[] | undefined) {
  const ids = [...new Set(records?.map(({ equipmentId }) => equipmentId))].sort();
  const { data } = useCall(
    EquipmentService.method.listEquipment,
    { ids: ids.slice(0, 500) },
    { enabled: ids.length > 0, placeholderData: keepPreviousData },
  );
  return new Map(data?.equipment.map(({ id, unitNumber }) => [id, unitNumber]));
}
