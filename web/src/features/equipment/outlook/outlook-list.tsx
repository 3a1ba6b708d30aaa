import { useState, type ReactNode } from "react";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { withTexts } from "#/i18n/lazy-with-texts";
import { useFormat } from "#/shared/format/use-format";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { useDialText } from "../meters/use-dial-text";
import { RowActions } from "../dialogs/row-actions";
import { useEquipmentActions } from "../dialogs/use-equipment-actions";
import { NameLink } from "../table/name-link";
import { ReadingAge } from "../table/reading-age";
import { ServiceBadges } from "../table/service-badges";
import { ServiceNotes } from "../table/snooze-lines";
import { statusOf } from "../table/shown-status";
import type { Entry } from "./entries";
import { useOutlookText } from "./use-outlook-text";

const TaskDoneDialog = dialogOnDemand(
  withTexts(["office"], () =>
    import("../detail/task-done-dialog").then((module) => module.TaskDoneDialog),
  ),
);

export interface Group {
  id: string;
  title: string;
  entries: readonly Entry[];
}

/** Groups of machines or tasks, each with what is due and when. */
export function OutlookList({
  groups,
  today,
  selectBox,
}: {
  groups: readonly Group[];
  today: string;
  /** The checkbox of a machine while machines are selected. */
  selectBox: ((row: Equipment) => ReactNode) | null;
}) {
  const format = useFormat();
  const { act, dialog } = useEquipmentActions();
  const [done, setDone] = useState<Entry>();
  const sections = groups.map(({ id, title, entries }) => (
    <section key={id} aria-labelledby={`outlook-${id}`}>
      <h2 id={`outlook-${id}`} className="mb-2 text-lg font-semibold">
        {title} <span className="font-normal text-muted">{format.number(entries.length)}</span>
      </h2>
      <ul
        aria-labelledby={`outlook-${id}`}
        className="divide-y divide-line rounded-card border border-line bg-raised"
      >
        {entries.map((entry) => (
          <li key={entry.id} data-row-key={entry.machine.id} className="flex items-center pr-2">
            {selectBox && <span className="-mr-1.5 pl-4">{selectBox(entry.machine)}</span>}
            <Row row={entry.row} today={today} />
            {/* Two buttons wide, also where there is one. */}
            <span className="flex justify-end lg:min-w-22">
              <RowActions
                equipment={entry.row}
                isList
                hasPlan={
                  entry.task && (entry.task.usageInterval > 0 || entry.task.calendarInterval > 0)
                }
                onAction={(action) => {
                  if (action === "serviced" && entry.task) setDone(entry);
                  else act(action, entry.machine);
                }}
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  ));
  return (
    <>
      {sections}
      {dialog}
      {done?.task && (
        <TaskDoneDialog
          equipment={done.machine}
          task={done.task}
          onClose={() => setDone(undefined)}
        />
      )}
    </>
  );
}

function Row({ row, today }: { row: Equipment; today: string }) {
  const dial = useDialText();
  const text = useOutlookText(today);
  const due = text.due(row);
  return (
    <div className="grid min-w-0 flex-1 gap-x-4 gap-y-1.5 px-4 py-3 text-sm sm:grid-cols-2 lg:grid-cols-[minmax(0,1.3fr)_9rem_minmax(0,1fr)_minmax(0,1.2fr)_minmax(0,1.1fr)] lg:items-center">
      <div className="min-w-0 text-base lg:text-sm">
        <NameLink equipment={row} />
      </div>
      <div className="max-lg:order-4">
        {dial.reading(row)}
        <ReadingAge equipment={row} />
      </div>
      <div className="min-w-0 max-lg:order-2">{text.task(row)}</div>
      <div className="max-lg:order-3">
        <span className="block font-semibold first-letter:uppercase">{due.text}</span>
        {due.forecast && <span className="block text-xs text-muted">{due.forecast}</span>}
      </div>
      <div className="max-lg:order-5">
        <ServiceBadges equipment={row} status={statusOf(row).status} />
        <ServiceNotes equipment={row} />
      </div>
    </div>
  );
}
