import { HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { History, Printer, SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { Segmented } from "#/shared/ui/segmented";
import { useSeveralMeters } from "../meters/several-meters";
import { ExportButton } from "./export-button";
import { historyPagesQuery } from "./queries";
import { PagedList, Records } from "./record-list";
import { kindFilters, type KindFilter } from "./search";
import { useHistoryExport } from "./use-history-export";
import { useHistoryPrint } from "./use-history-print";

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
  name,
  equipment,
  kind,
  onKind,
}: {
  equipmentId: string;
  name: string;
  /** Active equipment, whose wrong entries can be voided; absent in the archive. */
  equipment: Equipment | undefined;
  kind: KindFilter | undefined;
  onKind: (kind: KindFilter | undefined) => void;
}) {
  const { t } = useTranslation();
  const choice = kind ? { equipmentId, kinds: kindsOfFilter[kind] } : { equipmentId };
  const history = useInfiniteQuery(historyPagesQuery(useTransport(), choice));
  const records = history.data?.pages.flatMap((page) => page.records);
  const exporting = useHistoryExport(choice);
  const printing = useHistoryPrint(choice, name);
  return (
    <Card
      flush
      title={t("equipment-detail.history.title")}
      actions={
        <>
          <Button
            size="small"
            onClick={printing.run}
            pending={printing.pending}
            pendingLabel={t("common.loading")}
          >
            <Printer aria-hidden className="size-4" />
            {t("equipment-detail.print.action")}
          </Button>
          <ExportButton {...exporting} />
        </>
      }
    >
      <KindChoice kind={kind} onKind={onKind} />
      <div className="border-t border-line">
        <PagedList
          pages={history}
          count={records?.length}
          failed={t("equipment-detail.history.failed")}
          empty={<NoRecords filtered={kind !== undefined} onClear={() => onKind(undefined)} />}
        >
          <Records
            label={t("equipment-detail.history.title")}
            byMonth
            records={records ?? []}
            equipment={equipment}
          />
        </PagedList>
      </div>
    </Card>
  );
}

function KindChoice({
  kind,
  onKind,
}: {
  kind: KindFilter | undefined;
  onKind: (kind: KindFilter | undefined) => void;
}) {
  const { t } = useTranslation();
  const several = useSeveralMeters();
  return (
    // Room for the focus ring, which a scrolling box would cut off; and the box holds the hidden
    // inputs, which would otherwise make the page as wide as the row.
    <div className="no-print relative -mt-1 overflow-x-auto px-4 pt-1 pb-4 md:px-5">
      <div className="w-max">
        <Segmented
          label={t("equipment-detail.history.filter")}
          hideLabel
          compact
          value={kind ?? "all"}
          options={[
            { value: "all", label: t("equipment-detail.history.all") },
            ...kindFilters
              .filter((value) => value !== "meter" || several || kind === "meter")
              .map((value) => ({ value, label: filterLabel(t, value) })),
          ]}
          onChange={(next) => onKind(kindFilters.find((known) => known === next))}
        />
      </div>
    </div>
  );
}

function filterLabel(t: TFunction, kind: KindFilter): string {
  switch (kind) {
    case "usage":
      return t("equipment-detail.history.usage");
    case "service":
      return t("equipment-detail.history.service");
    case "notes":
      return t("equipment-detail.history.notes");
    case "edits":
      return t("equipment-detail.history.edits");
    case "meter":
      return t("equipment-meters.card.title");
    case "archive":
      return t("equipment-detail.history.archive");
  }
}

function NoRecords({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  return filtered ? (
    <Empty
      icon={<SearchX aria-hidden />}
      title={t("equipment-detail.history.noMatch")}
      description={t("equipment-detail.history.noMatchText")}
      action={<Button onClick={onClear}>{t("equipment-detail.history.showAll")}</Button>}
    />
  ) : (
    <Empty
      icon={<History aria-hidden />}
      title={t("equipment-detail.history.empty")}
      description={t("equipment-detail.history.emptyText")}
    />
  );
}
