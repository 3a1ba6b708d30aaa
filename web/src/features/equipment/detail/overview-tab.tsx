import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  HistoryOrder,
  type Equipment,
  type ServicePart,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { NoteItem } from "../dialogs/note-item";
import { MetersCard } from "../meters/meters-card";
import { useFacts, type Fact } from "./facts";
import { MonthsCard } from "./months-card";
import { NextTasksCard } from "./next-tasks-card";
import { latestHistoryQuery, latestNotesQuery } from "./queries";
import { RecordItem } from "./record-item";
import type { DetailTab, TrendRange } from "./search";
import { UsageTrend } from "./usage-trend";
import { visitNotes, visitsOf } from "./visits";

const latest = 5;
const latestNotes = 3;
/** More, because a service of several tasks is one item. */
const loaded = 20;

export function OverviewTab({
  equipment,
  onTab,
  range,
  onRange,
}: {
  equipment: Equipment;
  onTab: (tab: DetailTab) => void;
  range: TrendRange | undefined;
  onRange: (range: TrendRange | undefined) => void;
}) {
  const { t } = useTranslation();
  const facts = useFacts(equipment);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[1fr_24rem]">
      <div data-in-order className="min-w-0 space-y-5">
        <UsageTrend equipment={equipment} range={range} onRange={onRange} />
        <MonthsCard equipment={equipment} />
        <MetersCard equipmentId={equipment.id} unit={equipment.unit} />
        <LatestHistory equipmentId={equipment.id} onAll={() => onTab("history")} />
        <LatestNotes equipmentId={equipment.id} onAll={() => onTab("notes")} />
      </div>
      <div data-in-order className="min-w-0 space-y-5">
        <NextTasksCard equipment={equipment} onAll={() => onTab("service")} />
        <FactsCard facts={facts} />
        {equipment.description !== "" && (
          <Card title={t("equipment-form.fields.description")}>
            <p className="whitespace-pre-wrap">{equipment.description}</p>
          </Card>
        )}
        {equipment.serviceParts.length > 0 && <Parts parts={equipment.serviceParts} />}
      </div>
    </div>
  );
}

export function FactsCard({ facts }: { facts: readonly Fact[] }) {
  const { t } = useTranslation();
  return (
    <Card title={t("equipment-detail.facts.title")} flush>
      <dl className="divide-y divide-line border-t border-line">
        {facts.map((fact) => (
          <div key={fact.id} className="flex justify-between gap-4 px-4 py-2 text-sm md:px-5">
            <dt className="shrink-0 text-muted max-w-1/2">{fact.label}</dt>
            <dd
              className={`min-w-0 text-right wrap-anywhere ${fact.mono ? "font-mono" : "first-letter:uppercase"}`}
            >
              {fact.value}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Parts({ parts }: { parts: readonly ServicePart[] }) {
  const { t } = useTranslation();
  return (
    <Card title={t("equipment.columns.parts")} flush>
      <table className="w-full border-t border-line text-sm">
        <thead className="text-left text-xs text-muted">
          <tr>
            <th scope="col" className="px-4 py-2 font-semibold md:px-5">
              {t("equipment-form.fields.parts.part")}
            </th>
            <th scope="col" className="py-2 font-semibold">
              {t("equipment-form.fields.parts.partNumber")}
            </th>
            <th scope="col" className="px-4 py-2 text-right font-semibold md:px-5">
              {t("equipment-form.fields.parts.quantity")}
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- two rows may be the same part
            <tr key={index} className="border-t border-line">
              <td className="px-4 py-2 wrap-anywhere md:px-5">{row.part}</td>
              <td className="py-2 font-mono wrap-anywhere">{row.partNumber}</td>
              <td className="px-4 py-2 text-right md:px-5">{row.quantity}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

export function LatestHistory({ equipmentId, onAll }: { equipmentId: string; onAll: () => void }) {
  const { t } = useTranslation();
  const history = useQuery(
    latestHistoryQuery(useTransport(), { equipmentId, order: HistoryOrder.CAPTURED }, loaded),
  );
  const visits = visitsOf(history.data?.records ?? [], t("equipment-detail.tasks.regular"));
  return (
    <Latest
      title={t("equipment-detail.latest.history")}
      query={history}
      count={history.data?.records.length}
      failed={t("equipment-detail.history.failed")}
      empty={t("equipment-detail.history.emptyText")}
      onAll={onAll}
    >
      {visits.slice(0, latest).map(({ record }) => (
        <RecordItem key={record.id} record={record} />
      ))}
    </Latest>
  );
}

export function LatestNotes({ equipmentId, onAll }: { equipmentId: string; onAll: () => void }) {
  const { t } = useTranslation();
  const notes = useQuery(latestNotesQuery(useTransport(), equipmentId, loaded));
  return (
    <Latest
      title={t("equipment-detail.latest.notes")}
      query={notes}
      count={notes.data?.notes.length}
      failed={t("equipment-dialogs.notes.loadFailed")}
      empty={t("equipment-detail.notes.empty")}
      onAll={onAll}
    >
      {visitNotes(notes.data?.notes ?? [], t("equipment-detail.tasks.regular"))
        .slice(0, latestNotes)
        .map((note) => (
          <NoteItem key={note.id} note={note} className="px-4 py-3.5 md:px-5" />
        ))}
    </Latest>
  );
}

function Latest({
  title,
  query,
  count,
  failed,
  empty,
  onAll,
  children,
}: {
  title: string;
  query: {
    error: Error | null;
    isPending: boolean;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
  count: number | undefined;
  failed: string;
  empty: string;
  onAll: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  return (
    <Card
      flush
      title={title}
      actions={
        <Button
          variant="quiet"
          size="small"
          className="no-print -my-1 -mr-2 text-accent"
          onClick={onAll}
        >
          {t("equipment-detail.latest.all")}
          <span className="sr-only">{title}</span>
        </Button>
      }
    >
      <div className="border-t border-line">
        {query.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
        {query.error && count === undefined && (
          <div className="p-4">
            <ErrorPanel
              title={failed}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          </div>
        )}
        {count === 0 && <p className="px-4 py-6 text-center text-muted md:px-5">{empty}</p>}
        {count !== undefined && count > 0 && (
          <ul aria-label={title} className="divide-y divide-line">
            {children}
          </ul>
        )}
      </div>
    </Card>
  );
}
