import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  HistoryKind,
  type HistoryRecord,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dueAfter, dueNow, type Due } from "../dialogs/due-after";

/** The new day of a service, and the life-to-date usage that counts there; undefined: not known. */
interface Edit {
  record: HistoryRecord;
  day: string;
  usage: number | undefined;
  /** The usage a service counts from. */
  usageOf: (service: HistoryRecord) => number | undefined;
}

/**
 * When the task of a service is due after an edit of its day. A task counts from the service of the
 * latest day. Null: not known, for example if it counts from a value that was typed for the task.
 */
export function dueAfterEdit(
  task: ServiceTask,
  records: readonly HistoryRecord[],
  { record, day, usage, usageOf }: Edit,
  today: string,
): Due | null {
  const services = records.filter(
    ({ kind, voiding, taskName }) =>
      kind === HistoryKind.SERVICE && !voiding && taskName === task.name,
  );
  const last = lastOf(services);
  if (!last || !countsFrom(task, last, usageOf)) return null;
  const next = lastOf(
    services.map((each) => (each.id === record.id ? { ...each, performedOn: day } : each)),
  );
  if (next?.id === record.id) return dueAfter(task, { usage, day, today });
  if (!next || next.id === last.id) return dueNow(task);
  return dueAfter(task, { usage: usageOf(next), day: next.performedOn, today });
}

/** Of services of one day, the one entered last. */
function lastOf(services: readonly HistoryRecord[]): HistoryRecord | undefined {
  const entered = ({ createdAt }: HistoryRecord) => (createdAt ? timestampMs(createdAt) : 0);
  return services
    .toSorted(
      (one, other) =>
        one.performedOn.localeCompare(other.performedOn) || entered(one) - entered(other),
    )
    .at(-1);
}

function countsFrom(task: ServiceTask, service: HistoryRecord, usageOf: Edit["usageOf"]): boolean {
  const isDay = task.lastDoneOn === "" || task.lastDoneOn === service.performedOn;
  return isDay && (task.usageInterval === 0 || task.lastDoneUsage === usageOf(service));
}
