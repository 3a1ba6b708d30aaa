import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft, Trash2 } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { useDocumentTitle } from "#/shared/document-title";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { rememberMachine } from "../find/recent-machines";
import { lastFilter } from "../list/last-filter";
import { useSegments } from "../meters/queries";
import { SeveralMetersProvider } from "../meters/several-meters";
import { useWaitingUpdates } from "../dialogs/use-open-matters";
import { equipmentQuery } from "../queries";
import { DetailActions } from "./detail-actions";
import { DetailHeader } from "./detail-header";
import { DetailTabs } from "./detail-tabs";
import { FuelTab } from "./fuel-tab";
import { HistoryTab } from "./history-tab";
import { NotesTab } from "./notes-tab";
import { OverviewTab } from "./overview-tab";
import { deletedName, isNotFound, isRetired, retiredQuery } from "./queries";
import { RetiredPage } from "./retired-page";
import { detailTabs, type DetailSearch } from "./search";
import { ServiceTab } from "./service-tab";
import { SeveralTasksProvider } from "./several-tasks";

interface Props {
  id: string;
  search: DetailSearch;
  onSearch: (change: DetailSearch) => void;
  /** Shown for an unknown id. */
  unknown: ReactNode;
}

export function DetailPage(props: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const active = useQuery(equipmentQuery(transport, props.id));
  const gone = isNotFound(active.error);
  const deleted = deletedName(active.error);
  // Not for unknown ids, which the audit log would then contain twice.
  const inArchive = isRetired(active.error);
  const archived = useQuery({ ...retiredQuery(transport, props.id), enabled: inArchive });
  const equipment = active.data?.equipment;
  const failed = inArchive ? archived.error : active.error;
  // Each new attempt to load the active machine clears its error.
  if (archived.data?.retired && (gone || !equipment)) {
    return (
      <Framed back="archive">
        <RetiredPage
          retired={archived.data.retired}
          search={props.search}
          onSearch={props.onSearch}
        />
      </Framed>
    );
  }
  if (deleted !== null) return <Deleted name={deleted} />;
  if (gone && (!inArchive || isNotFound(archived.error))) {
    return equipment ? <Deleted name={equipment.name} /> : props.unknown;
  }
  if (equipment && !gone) {
    return (
      <Framed back="list" beside={<WaitingUpdates machineId={props.id} />}>
        <SeveralTasksProvider value={equipment.moreTasks > 0}>
          <ActivePage {...props} equipment={equipment} />
        </SeveralTasksProvider>
      </Framed>
    );
  }
  if (!failed) return <Loading />;
  return (
    <Framed back="list">
      <ErrorPanel
        title={t("equipment-detail.failed")}
        reason={errorText(failed)}
        onRetry={() => void (inArchive ? archived : active).refetch()}
        retrying={active.isFetching || archived.isFetching}
      />
    </Framed>
  );
}

function ActivePage({ equipment, search, onSearch }: Props & { equipment: Equipment }) {
  useDocumentTitle(equipment.name);
  useEffect(() => rememberMachine(equipment.id), [equipment.id]);
  const tab = search.tab ?? "overview";
  const segments = useSegments(equipment.id).data?.segments.length ?? 1;
  return (
    <SeveralMetersProvider value={segments > 1 || hasEarlierMeters(equipment)}>
      <div className="space-y-5">
        <DetailHeader
          equipment={equipment}
          actions={
            <DetailActions
              equipment={equipment}
              replacing={search.replace === "meter"}
              onReplacing={(open) => onSearch({ replace: open ? "meter" : undefined })}
            />
          }
        />
        <DetailTabs
          tabs={detailTabs}
          value={tab}
          onChange={(next) => onSearch({ tab: next === "overview" ? undefined : next })}
        >
          {tab === "overview" && (
            <OverviewTab
              equipment={equipment}
              onTab={(next) => onSearch({ tab: next })}
              range={search.range}
              onRange={(range) => onSearch({ range })}
            />
          )}
          {tab === "history" && (
            <HistoryTab
              equipmentId={equipment.id}
              machine={equipment}
              equipment={equipment}
              filter={search}
              onFilter={onSearch}
            />
          )}
          {tab === "notes" && <NotesTab equipmentId={equipment.id} readOnly={false} />}
          {tab === "service" && <ServiceTab equipment={equipment} />}
          {tab === "fuel" && <FuelTab equipment={equipment} />}
        </DetailTabs>
      </div>
    </SeveralMetersProvider>
  );
}

function Framed({
  back,
  beside,
  children,
}: {
  back: "list" | "archive";
  beside?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <>
      <div className="no-print mb-2 -ml-3 flex items-center justify-between gap-2">
        <Button asChild variant="quiet" size="small" className="shrink-0">
          {back === "list" ? (
            <Link to="/equipment-list" search={lastFilter()}>
              <ArrowLeft aria-hidden className="size-4" />
              {t("shell.titles.equipmentList")}
            </Link>
          ) : (
            <Link to="/retired-equipment">
              <ArrowLeft aria-hidden className="size-4" />
              {t("shell.titles.retired")}
            </Link>
          )}
        </Button>
        {beside}
      </div>
      {children}
    </>
  );
}

/** A link to the review while updates of the machine wait there. Its row has one line at all widths. */
function WaitingUpdates({ machineId }: { machineId: string }) {
  const { t } = useTranslation();
  const count = useWaitingUpdates(machineId).length;
  if (count === 0) return null;
  return (
    <Link to="/review" className="min-w-0 truncate py-1 font-semibold text-accent underline">
      {t("review.waiting", { count })}
    </Link>
  );
}

function Deleted({ name }: { name: string }) {
  const { t } = useTranslation();
  return (
    <div className="py-16 text-center">
      <Trash2 aria-hidden className="mx-auto size-8 text-muted" />
      <h1 tabIndex={-1} className="mt-3 text-title font-[650]">
        {t("equipment-dialogs.delete.done")}
      </h1>
      <p className="mx-auto mt-2 max-w-prose text-muted">
        {t("equipment-dialogs.delete.doneText", { name })}
      </p>
      <Button asChild variant="primary" className="mt-6">
        <Link to="/equipment-list">{t("shell.titles.equipmentList")}</Link>
      </Button>
    </div>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <div role="status" className="space-y-5">
      <span className="sr-only">{t("common.loading")}</span>
      <Skeleton className="h-8 w-40" />
      <Skeleton className="h-56 w-full" />
      <Skeleton className="h-11 w-96 max-w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
