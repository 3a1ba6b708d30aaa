import { HistoryKind, HistoryOrder } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Printer, SearchX, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { isWrongOrder } from "#/domain/days";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { useZoneNote } from "#/shared/use-zone-note";
import { ExportButton } from "./export-button";
import { historyPagesQuery } from "./queries";
import { PagedList, Records } from "./record-list";
import { HistoryFilters, useShownFilters, type ShownFilter } from "./history-filters";
import { noHistoryFilter, type HistoryFilter, type KindFilter } from "./search";
import { useHistoryExport } from "./use-history-export";
import { useHistoryPrint, type PrintedMachine } from "./use-history-print";

const kindsOfFilter: Record<KindFilter, HistoryKind[]> = {
  usage: [HistoryKind.USAGE],
  service: [HistoryKind.SERVICE],
  notes: [HistoryKind.NOTE],
  edits: [HistoryKind.EDIT],
  meter: [HistoryKind.METER],
  archive: [HistoryKind.RETIREMENT, HistoryKind.RESTORATION],
};

export function HistoryTab({
  equipmentId,
  machine,
  equipment,
  filter,
  onFilter,
}: {
  equipmentId: string;
  machine: PrintedMachine;
  /** Active equipment, whose wrong entries can be voided; absent in the archive. */
  equipment: Equipment | undefined;
  filter: HistoryFilter;
  /** Merges these values into the filter. */
  onFilter: (change: HistoryFilter) => void;
}) {
  const { t } = useTranslation();
  const { kind, person, from, to } = filter;
  const choice = {
    equipmentId,
    order: HistoryOrder.CAPTURED,
    ...(kind && { kinds: kindsOfFilter[kind] }),
    ...(person && { personId: person }),
    ...(from && { from }),
    ...(to && { to }),
  };
  const wrong = isWrongOrder(filter);
  const wrongReason = wrong ? t("equipment-detail.history.wrongOrder") : undefined;
  const shown = useShownFilters(filter);
  const history = useInfiniteQuery({
    ...historyPagesQuery(useTransport(), choice),
    enabled: !wrong,
  });
  const records = history.data?.pages.flatMap((page) => page.records);
  const exporting = useHistoryExport(choice);
  const zoneNote = useZoneNote();
  const printing = useHistoryPrint(
    choice,
    machine,
    shown.map(({ label }) => label),
  );
  return (
    <Card
      flush
      title={t("equipment-detail.history.title")}
      description={zoneNote}
      actions={
        <>
          <Button
            size="small"
            onClick={printing.run}
            pending={printing.pending}
            pendingLabel={t("common.loading")}
            disabledReason={wrongReason}
          >
            <Printer aria-hidden className="size-4" />
            {t("equipment-detail.print.action")}
          </Button>
          <ExportButton {...exporting} disabledReason={wrongReason} />
        </>
      }
    >
      <HistoryFilters filter={filter} records={records ?? []} onFilter={onFilter} />
      {!wrong && (
        <div className="border-t border-line">
          <PagedList
            pages={history}
            count={records?.length}
            failed={t("equipment-detail.history.failed")}
            empty={<NoRecords filters={shown} onFilter={onFilter} />}
          >
            <Records
              label={t("equipment-detail.history.title")}
              byMonth
              records={records ?? []}
              equipment={equipment}
            />
          </PagedList>
        </div>
      )}
    </Card>
  );
}

function NoRecords({
  filters,
  onFilter,
}: {
  filters: readonly ShownFilter[];
  onFilter: (change: HistoryFilter) => void;
}) {
  const { t } = useTranslation();
  return filters.length > 0 ? (
    <Empty
      icon={<SearchX aria-hidden />}
      title={t("equipment-detail.history.noMatch")}
      description={t("equipment-detail.history.noMatchText")}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {filters.map(({ name, label }) => (
            <Button
              key={name}
              size="small"
              aria-label={t("equipment-detail.history.clear", { filter: label })}
              onClick={() => onFilter({ [name]: undefined })}
            >
              {label}
              <X aria-hidden className="size-4" />
            </Button>
          ))}
          <Button size="small" onClick={() => onFilter(noHistoryFilter)}>
            {t("equipment-detail.history.showAll")}
          </Button>
        </div>
      }
    />
  ) : (
    <Empty
      drawing="history"
      title={t("equipment-detail.history.empty")}
      description={t("equipment-detail.history.emptyText")}
    />
  );
}
