import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { CalendarPlus, Download, ListChecks, Printer } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentTypes } from "#/domain/equipment-types";
import { serviceStatusWord, typeWord } from "#/domain/equipment-wire";
import { useCompanyDay } from "#/shared/use-company-day";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { FoldedHeader } from "#/shared/ui/folded-header";
import { Segmented } from "#/shared/ui/segmented";
import { Shown } from "#/shared/ui/shown";
import { Skeleton, SkeletonRows } from "#/shared/ui/skeleton";
import { StartSelection } from "#/shared/table/selection-bar";
import { listSelection, nameOf } from "#/shared/table/use-list-selection";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { BulkBar } from "../bulk/bulk-bar";
import { useCounted } from "../reports/use-counted";
import { useEquipmentExport } from "../reports/use-equipment-export";
import { filedDate, machineEntries, taskEntries, taskRows } from "./entries";
import { byName, grouped, spanOf, spans } from "./outlook";
import { unique } from "../table/equipment-pages";
import { GroupFilter, useGroupNote } from "../table/group-filter";
import { NoMatch } from "../table/no-match";
import { useGroups } from "../table/use-groups";
import { OutlookCalendar } from "./outlook-calendar";
import { OutlookList, type Group } from "./outlook-list";
import { byDue, outlookQuery } from "./queries";
import type { OutlookSearch } from "./search";
import { useOutlookPrint } from "./use-outlook-print";
import { useOutlookText } from "./use-outlook-text";

const useListSelection = listSelection<Equipment>();

const CalendarDialog = dialogOnDemand(() =>
  import("./calendar-dialog").then((module) => module.CalendarDialog),
);

export function OutlookPage({
  search: { view: chosen, month, group },
  onSearch,
}: {
  search: OutlookSearch;
  onSearch: (search: OutlookSearch) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const counted = useCounted();
  const today = useCompanyDay();
  const view = chosen ?? "machine";
  const hasGroups = useGroups().length > 0 || view === "group";
  const query = useQuery(outlookQuery(useTransport()));
  const rows = query.data?.filter((row) => group === undefined || (row.group ?? "") === group);
  const groups = useSections(rows ?? [], view, today);
  // The calendar has no rows.
  const listed =
    view === "calendar"
      ? []
      : unique(groups.flatMap(({ entries }) => entries.map(({ machine }) => machine)));
  const selection = useListSelection(listed, nameOf);
  const chosenIds = new Set(selection.chosen.map(({ id }) => id));
  const print = useOutlookPrint(today);
  const groupNote = useGroupNote();
  const exported = useEquipmentExport({
    file: "service",
    filter: { group },
    order: byDue,
  });
  const save = (machines?: readonly Equipment[]) =>
    exported.mutate(view === "task" ? taskRows(machines ?? rows ?? []) : machines);
  const clear = () => onSearch({ view: chosen, month });
  const nothing = rows?.length === 0;
  const [subscribing, setSubscribing] = useState(false);
  const printRefusal = nothing ? t("equipment-list.print.nothing") : undefined;
  return (
    <>
      <FoldedHeader
        title={t("shell.titles.service")}
        description={
          <Shown onClear={group !== undefined && !nothing && clear}>
            {rows
              ? counted(rows.length, group === undefined ? undefined : query.data?.length)
              : t("common.loading")}
          </Shown>
        }
        secondary={
          <>
            <StartSelection selection={selection} rows={listed} />
            <Button asChild>
              <Link to="/task-sets">
                <ListChecks aria-hidden className="size-4" />
                {t("shell.titles.taskSets")}
              </Link>
            </Button>
            <Button onClick={() => setSubscribing(true)}>
              <CalendarPlus aria-hidden className="size-4" />
              {t("service.feed.open")}
            </Button>
            <Button
              onClick={() => save()}
              pending={exported.isPending}
              pendingLabel={t("equipment.export.pending")}
              disabledReason={
                nothing
                  ? t("equipment.export.nothing")
                  : rows || view !== "task"
                    ? undefined
                    : t("common.loading")
              }
            >
              <Download aria-hidden className="size-4" />
              {t("equipment-list.exportCsv")}
            </Button>
            <Button
              onClick={() => print(sectionHeader(t, view), groups, groupNote(group))}
              disabledReason={rows ? printRefusal : t("common.loading")}
            >
              <Printer aria-hidden className="size-4" />
              {t("equipment-list.print.button")}
            </Button>
          </>
        }
      />
      {subscribing && <CalendarDialog onClose={() => setSubscribing(false)} />}
      <div className="space-y-5">
        <div className="no-print flex flex-wrap gap-2">
          <div className="max-w-150 grow">
            <Segmented
              label={t("service.view")}
              hideLabel
              value={view}
              options={[
                { value: "machine", label: t("service.views.machine") },
                { value: "task", label: t("service.views.task") },
                { value: "type", label: t("service.views.type") },
                ...(hasGroups
                  ? [{ value: "group", label: t("service.views.group") } as const]
                  : []),
                { value: "calendar", label: t("service.views.calendar") },
              ]}
              onChange={(next) => onSearch({ group, view: next === "machine" ? undefined : next })}
            />
          </div>
          <GroupFilter
            value={group}
            onChange={(next) => onSearch({ view: chosen, month, group: next })}
          />
        </div>
        {query.error && (
          <ErrorPanel
            title={t("equipment.overview.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        )}
        {query.isPending && (
          <div>
            <Skeleton className="mb-2 h-6 w-32" />
            <div className="rounded-card border border-line bg-raised">
              <SkeletonRows label={t("common.loading")} />
            </div>
          </div>
        )}
        {nothing && (
          <div className="rounded-card border border-line bg-raised">
            {query.data?.length ? (
              <NoMatch onClear={clear} />
            ) : (
              <Empty
                drawing="service"
                title={t("equipment.overview.emptyTitle")}
                description={t("service.emptyText")}
                action={
                  <Button asChild variant="primary">
                    <Link to="/add-equipment">{t("equipment.overview.addFirst")}</Link>
                  </Button>
                }
              />
            )}
          </div>
        )}
        {rows && rows.length > 0 && view === "calendar" && (
          <OutlookCalendar
            entries={taskEntries(rows)}
            month={month ?? today.slice(0, 7)}
            today={today}
            onMonth={(next) => onSearch({ view, month: next, group })}
          />
        )}
        {selection.column && listed.length > 0 && (
          <BulkBar
            // A machine may have left the page.
            selection={{
              ...selection,
              chosen: query.data?.filter(({ id }) => chosenIds.has(id)) ?? [],
            }}
            rows={listed}
            matching={listed.length}
            filter={{ group }}
            onExport={save}
          />
        )}
        {view !== "calendar" && (
          <OutlookList groups={groups} today={today} selectBox={selection.box} />
        )}
      </div>
    </>
  );
}

/** The first column on paper. */
function sectionHeader(t: TFunction, view: NonNullable<OutlookSearch["view"]>): string {
  switch (view) {
    case "machine":
    case "calendar":
      return t("service.when");
    case "task":
      return t("service.task");
    case "type":
      return t("equipment-form.fields.type");
    case "group":
      return t("service.group");
  }
}

function useSections(
  rows: readonly Equipment[],
  by: NonNullable<OutlookSearch["view"]>,
  today: string,
): Group[] {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const text = useOutlookText(today);
  switch (by) {
    case "machine":
    case "calendar": {
      const all = by === "calendar" ? taskEntries(rows) : machineEntries(rows);
      const of = grouped(all, ({ row }) => {
        const date = filedDate(row, today);
        return spanOf({ status: serviceStatusWord(row.serviceStatus), date }, today);
      });
      const found = new Map(of);
      return spans.flatMap((span) => {
        const entries = found.get(span);
        return entries ? [{ id: span, title: text.span(span), entries }] : [];
      });
    }
    case "task":
      return grouped(taskEntries(rows), ({ row }) => text.taskName(row)).map(
        ([task, entries], index) => ({
          id: `task-${index}`,
          title: task || t("service.spans.none"),
          entries,
        }),
      );
    case "type": {
      const found = new Map(grouped(rows, (row) => typeWord(row.type)));
      return equipmentTypes.flatMap((type) => {
        const members = found.get(type);
        return members
          ? [{ id: type, title: labels.type(type), entries: machineEntries(members) }]
          : [];
      });
    }
    case "group":
      return byName(grouped(rows, (row) => row.group ?? "")).map(([name, members], index) => ({
        id: `group-${index}`,
        title: name || t("equipment-list.group.none"),
        entries: machineEntries(members),
      }));
  }
}
