import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Archive, ArchiveRestore } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  type RetiredEquipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useWrite } from "#/shared/form/use-write";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useDocumentTitle } from "#/shared/document-title";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { MetersCard } from "../meters/meters-card";
import { useSegments } from "../meters/queries";
import { SeveralMetersProvider, useSeveralMeters } from "../meters/several-meters";
import { useRefreshEquipment } from "../queries";
import { Figure, Identity } from "./detail-header";
import { DetailTabs } from "./detail-tabs";
import { HistoryTab } from "./history-tab";
import { NotesTab } from "./notes-tab";
import { FactsCard, LatestHistory, LatestNotes } from "./overview-tab";
import { retiredTabs, type DetailSearch } from "./search";
import { useRetiredFacts } from "./retired-facts";

/** Retired equipment: read-only until it is restored. */
export function RetiredPage({
  retired,
  search,
  onSearch,
}: {
  retired: RetiredEquipment;
  search: DetailSearch;
  onSearch: (change: DetailSearch) => void;
}) {
  useDocumentTitle(retired.name);
  const facts = useRetiredFacts(retired);
  const id = retired.originalEquipmentId;
  // Active equipment has more tabs; a link to a missing tab opens the first one.
  const tab = retiredTabs.find((known) => known === search.tab) ?? "overview";
  const segments = useSegments(id).data?.segments ?? [];
  return (
    <SeveralMetersProvider value={segments.length > 1}>
      <div className="space-y-5">
        <RetiredHeader retired={retired} />
        <DetailTabs
          tabs={retiredTabs}
          value={tab}
          onChange={(next) => onSearch({ tab: next === "overview" ? undefined : next })}
        >
          {tab === "overview" && (
            <div className="grid items-start gap-5 lg:grid-cols-[1fr_24rem]">
              <div className="min-w-0 space-y-5">
                <MetersCard equipmentId={id} unit={retired.unit} retired />
                <LatestHistory equipmentId={id} onAll={() => onSearch({ tab: "history" })} />
                <LatestNotes equipmentId={id} onAll={() => onSearch({ tab: "notes" })} />
              </div>
              <FactsCard facts={facts} />
            </div>
          )}
          {tab === "history" && (
            <HistoryTab
              equipmentId={id}
              machine={retired}
              equipment={undefined}
              filter={search}
              onFilter={onSearch}
            />
          )}
          {tab === "notes" && <NotesTab equipmentId={id} readOnly />}
        </DetailTabs>
      </div>
    </SeveralMetersProvider>
  );
}

function RetiredHeader({ retired }: { retired: RetiredEquipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const several = useSeveralMeters();
  return (
    <header className="rounded-card border border-line bg-raised">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4 p-4 md:p-5">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <h1 tabIndex={-1} className="min-w-0 text-title font-[650]">
              {retired.name}
            </h1>
            <Badge icon={<Archive aria-hidden className="size-3.5" />}>
              {t("equipment-detail.retired.badge")}
            </Badge>
          </div>
          <Identity {...retired} />
        </div>
        <Restore retired={retired} />
      </div>
      <dl className="grid divide-line border-t border-line max-md:divide-y md:grid-cols-[1fr_2fr] md:divide-x">
        <Figure label={t("equipment-detail.retired.finalUsage")}>
          <p className="text-figure font-semibold">
            {labels.amount(retired.finalUsage, unitWord(retired.unit))}
          </p>
          {several && (
            <p className="text-sm text-muted">{t("equipment-meters.header.ofAllMeters")}</p>
          )}
        </Figure>
        <Figure
          label={
            retired.retiredAt
              ? t("equipment-detail.retired.by", {
                  date: format.instantDay(timestampDate(retired.retiredAt)),
                  name: retired.retiredBy,
                })
              : t("equipment-detail.retired.badge")
          }
        >
          {retired.retirementNotes === "" ? (
            <p className="text-muted">{t("equipment-detail.retired.noNotes")}</p>
          ) : (
            <p className="whitespace-pre-wrap">{retired.retirementNotes}</p>
          )}
        </Figure>
      </dl>
    </header>
  );
}

function Restore({ retired }: { retired: RetiredEquipment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const [asking, setAsking] = useState(false);
  const { name } = retired;
  const restore = useWrite(EquipmentService.method.restoreEquipment, {
    // Restoring keeps the id, so this page shows it as active after a refetch.
    onSuccess: async () => {
      toast.success(
        t("equipment-detail.retired.restored"),
        t("equipment-detail.retired.restoredText", { name }),
      );
      await refresh();
    },
  });
  return (
    <div className="no-print max-md:w-full">
      <Button variant="primary" className="max-md:w-full" onClick={() => setAsking(true)}>
        <ArchiveRestore aria-hidden className="size-4" />
        {t("equipment-detail.retired.restore")}
      </Button>
      <AlertDialog
        open={asking}
        onOpenChange={(open) => {
          setAsking(open);
          restore.reset();
        }}
        title={t("equipment-detail.retired.restoreTitle", { name })}
        description={t("equipment-detail.retired.restoreText")}
        confirmLabel={t("equipment-detail.retired.restore")}
        pendingLabel={t("equipment-detail.retired.restoring")}
        pending={restore.isPending}
        tone="primary"
        onConfirm={() => restore.mutate({ id: retired.id })}
      >
        {restore.error && (
          <div className="mt-3">
            <Notice tone="danger">
              {errorText(restore.error, "equipment-detail.retired.failed")}
            </Notice>
          </div>
        )}
      </AlertDialog>
    </div>
  );
}
