import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useEffect, useEffectEvent, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  HistoryKind,
  HistoryOrder,
  NoteType,
  type Equipment,
  type HistoryRecord,
  type Note,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { operationalWord, serviceStatusWord, unitWord } from "#/domain/equipment-wire";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { OnPaper } from "#/shared/print/on-paper";
import { toast } from "#/shared/toast/store";
import { UnitNumber } from "#/shared/ui/unit-number";
import { useCompanyDay } from "#/shared/use-company-day";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRecordText } from "#/shared/words/use-record-text";
import { useDialText } from "../meters/use-dial-text";
import { statusText } from "../reports/status-text";
import { useReadingAge } from "../table/reading-age";
import { useSnoozeTexts } from "../table/snooze-lines";
import { useFacts } from "./facts";
import type { MonthFigures } from "./month-figures";
import { MonthTable } from "./month-table";
import { orderTasks } from "./next-tasks";
import { latestHistoryQuery, latestNotesQuery, tasksQuery } from "./queries";
import { useIntervalText } from "./use-interval-text";
import { useMeasures, useMonthFigures } from "./use-month-figures";
import { useRecordWords } from "./use-record-words";
import { visitNotes, visitsOf } from "./visits";
import { useTaskWhen } from "./use-task-when";

// What fits on one page.
const most = { tasks: 6, services: 4, notes: 3 };
/** Some of the latest may be voided. */
const loaded = 20;

/** Prints a machine on one page: its state, tasks, services, cost, fuel and notes. */
export function MachineSheet({
  equipment,
  onClose,
}: {
  equipment: Equipment;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const { id, name } = equipment;
  const tasks = useQuery(tasksQuery(transport, id));
  const services = useQuery(
    latestHistoryQuery(
      transport,
      { equipmentId: id, kinds: [HistoryKind.SERVICE], order: HistoryOrder.CAPTURED },
      loaded,
    ),
  );
  const notes = useQuery(latestNotesQuery(transport, id, loaded));
  const months = useMonthFigures(id);
  const error = tasks.error ?? services.error ?? notes.error ?? months.error;
  const fail = useEffectEvent((failure: Error) => {
    toast.failure(t("equipment-detail.print.failed"), errorText(failure));
    onClose();
  });
  useEffect(() => {
    if (error) fail(error);
  }, [error]);
  if (error || !tasks.data || !services.data || !notes.data || !months.figures) return null;
  return (
    <OnPaper paper="portrait" fileName={name} onDone={onClose}>
      <SheetHeader equipment={equipment} />
      <div className="mt-3 grid grid-cols-[1fr_17rem] gap-x-6 text-xs">
        <div className="space-y-3">
          <Tasks equipment={equipment} tasks={tasks.data.tasks} />
          <Services records={services.data.records.filter(({ voiding }) => !voiding)} />
          <Notes notes={notes.data.notes.filter(({ voiding }) => !voiding)} />
          <Parts equipment={equipment} />
        </div>
        <div className="space-y-3">
          <Facts equipment={equipment} />
          <Months figures={months.figures} />
        </div>
      </div>
    </OnPaper>
  );
}

function SheetHeader({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const dial = useDialText();
  const age = useReadingAge();
  const snoozed = useSnoozeTexts();
  const company = useSession()?.businessName ?? "";
  const [now] = useState(() => new Date());
  const hasMeter = unitWord(equipment.unit) !== "n/a";
  return (
    <>
      <header className="flex items-end justify-between gap-6 border-b-2 border-ink pb-2">
        <div>
          <p className="text-sm">{company}</p>
          <h1 className="text-title font-[650]">{equipment.name}</h1>
        </div>
        <p className="shrink-0 text-sm whitespace-nowrap">
          <UnitNumber number={equipment.unitNumber} />
          {format.instant(now)}
        </p>
      </header>
      <p className="mt-2 flex flex-wrap gap-x-6 text-md font-semibold">
        {hasMeter && (
          <span>
            {dial.reading(equipment)} <span className="font-normal">· {age(equipment)}</span>
          </span>
        )}
        <span>{statusText(t, labels, equipment)}</span>
        <span>{operationalLabel(t, operationalWord(equipment.operationalStatus))}</span>
      </p>
      {hasEarlierMeters(equipment) && (
        <p className="text-xs">{dial.life(equipment, equipment.currentUsage)}</p>
      )}
      {snoozed(equipment).map((text) => (
        <p key={text} className="text-xs">
          {text}
        </p>
      ))}
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-1 border-b border-ink text-sm font-bold">{title}</h2>
      {children}
    </section>
  );
}

function Tasks({ equipment, tasks }: { equipment: Equipment; tasks: readonly ServiceTask[] }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const interval = useIntervalText();
  const today = useCompanyDay();
  const when = useTaskWhen(equipment, today);
  const ordered = orderTasks(tasks, equipment);
  const left = ordered.length - most.tasks;
  return (
    <Section title={t("equipment-detail.tasks.title")}>
      {ordered.slice(0, most.tasks).map((task) => {
        const { distance, date } = when(task);
        const status = labels.badge(serviceStatusWord(task.status));
        return (
          <div key={task.id} className="flex justify-between gap-3 border-b border-line py-1">
            <div>
              <p className="font-semibold">
                {task.fromForm ? t("equipment-detail.tasks.regular") : task.name}
              </p>
              <p>
                {[status, distance, interval({ ...task, unit: equipment.unit })]
                  .filter((text) => text !== "")
                  .join(" · ")}
              </p>
            </div>
            <p className="font-semibold whitespace-nowrap">{date}</p>
          </div>
        );
      })}
      {left > 0 && <p>{t("equipment-detail.print.moreTasks", { count: left })}</p>}
      {tasks.length === 0 && <p>{labels.noDue(equipment)}</p>}
    </Section>
  );
}

function Services({ records }: { records: readonly HistoryRecord[] }) {
  const { t } = useTranslation();
  const words = useRecordWords();
  const format = useFormat();
  const visits = visitsOf(records, t("equipment-detail.tasks.regular"));
  return (
    <Section title={t("equipment-detail.print.services")}>
      {visits.slice(0, most.services).map(({ record }) => (
        <div key={record.id} className="flex justify-between gap-3 border-b border-line py-1">
          <div>
            <p className="font-semibold">
              {record.taskName || t("equipment-detail.tasks.regular")}
            </p>
            <p className="line-clamp-2">
              {[
                record.performedOn === ""
                  ? words.when(record)
                  : format.calendarDate(record.performedOn),
                words.meter(record),
                record.operatorName,
                words.content(record),
              ]
                .filter((text) => text !== "")
                .join(" · ")}
            </p>
          </div>
          <p className="font-semibold whitespace-nowrap">{words.cost(record)}</p>
        </div>
      ))}
      {records.length === 0 && <p>{t("equipment-detail.services.empty")}</p>}
    </Section>
  );
}

function Notes({ notes }: { notes: readonly Note[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = useRecordText();
  return (
    <Section title={t("equipment-detail.latest.notes")}>
      {visitNotes(notes, t("equipment-detail.tasks.regular"))
        .slice(0, most.notes)
        .map((note) => (
          <div key={note.id} className="border-b border-line py-1">
            <p className="line-clamp-2 whitespace-pre-wrap">
              {note.type === NoteType.MAINTENANCE
                ? text.service(note.content, note.reportedBy)
                : text.update(note.content)}
            </p>
            <p>
              {[note.taskName, note.authorName].filter(Boolean).join(" · ")}
              {note.createdAt && ` · ${format.instantDay(timestampDate(note.createdAt))}`}
            </p>
          </div>
        ))}
      {notes.length === 0 && <p>{t("equipment-detail.notes.empty")}</p>}
    </Section>
  );
}

function Parts({ equipment: { serviceParts, description } }: { equipment: Equipment }) {
  const { t } = useTranslation();
  return (
    <>
      {serviceParts.length > 0 && (
        <Section title={t("equipment.columns.parts")}>
          <p className="line-clamp-2">
            {serviceParts
              .map(({ part, partNumber, quantity }) =>
                [part, partNumber, quantity === undefined ? "" : `× ${quantity}`]
                  .filter(Boolean)
                  .join(" "),
              )
              .join(", ")}
          </p>
        </Section>
      )}
      {description !== "" && (
        <Section title={t("equipment-form.fields.description")}>
          <p className="line-clamp-3 whitespace-pre-wrap">{description}</p>
        </Section>
      )}
    </>
  );
}

function Facts({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  return (
    <Section title={t("equipment-detail.facts.title")}>
      <dl>
        {useFacts(equipment).map((fact) => (
          <div key={fact.id} className="flex justify-between gap-3 border-b border-line">
            <dt className="shrink-0">{fact.label}</dt>
            <dd
              className={clsx(
                "text-right font-semibold wrap-anywhere",
                fact.mono ? "font-mono" : "first-letter:uppercase",
              )}
            >
              {fact.value}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Months({ figures }: { figures: readonly MonthFigures[] }) {
  const { t } = useTranslation();
  const measures = useMeasures(figures);
  return (
    <Section title={t("equipment-detail.months.title")}>
      {measures.length > 0 ? (
        <MonthTable figures={figures} measures={measures} />
      ) : (
        <p>{t("equipment-detail.months.noCost")}</p>
      )}
    </Section>
  );
}
