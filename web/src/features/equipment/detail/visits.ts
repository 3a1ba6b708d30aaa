import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  HistoryKind,
  NoteType,
  type HistoryRecord,
  type Note,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { serviceLines, wholeService } from "#/domain/record-lines";

/** An entry as the lists show it. */
export interface Visit {
  /** For several tasks, the service as a whole. */
  record: HistoryRecord;
  /** The entries of its tasks, in their order; one of any other entry. */
  parts: readonly HistoryRecord[];
}

/**
 * The entries of one service of several tasks have the same moment, person and day. An edited one keeps
 * moment and person.
 */
function keyOf({ kind, voiding, createdAt, operatorName, performedOn }: HistoryRecord): string {
  if (kind !== HistoryKind.SERVICE || voiding || !createdAt) return "";
  return [timestampMs(createdAt), createdAt.nanos, performedOn, operatorName].join("\n");
}

/**
 * Combines the entries of a service of several tasks, which are listed newest first.
 * `regular` is the name of the regular service.
 */
export function visitsOf(records: readonly HistoryRecord[], regular: string): Visit[] {
  const place = placesOf(records);
  const visits = Map.groupBy(records, (record) => keyOf(record) || record.id);
  return [...visits.values()].flatMap((listed) => {
    const parts = listed.toSorted((one, other) => place(other) - place(one));
    const [first] = parts;
    if (!first) return [];
    return { record: parts.length === 1 ? first : whole(first, parts, regular), parts };
  });
}

/** The place of an entry in the list; of an edited one, that of its first version. */
function placesOf(records: readonly HistoryRecord[]): (record: HistoryRecord) => number {
  const places = new Map(records.map(({ id }, index) => [id, index]));
  const place = ({ id, replaces }: HistoryRecord): number => {
    const before = records[places.get(replaces) ?? -1];
    return before ? place(before) : (places.get(id) ?? 0);
  };
  return place;
}

function whole(
  first: HistoryRecord,
  parts: readonly HistoryRecord[],
  regular: string,
): HistoryRecord {
  const { cost: _, ...rest } = first;
  const costs = parts.flatMap(({ cost }) => (cost === undefined ? [] : Math.round(cost * 100)));
  // The same notes are stored with each task.
  const notes = [...new Set(parts.map((part) => part.notes))].filter(Boolean).join("\n");
  return {
    ...rest,
    ...(costs.length > 0 && { cost: costs.reduce((sum, cents) => sum + cents) / 100 }),
    taskName: parts.map(({ taskName }) => taskName || regular).join(", "),
    notes,
    content: notes,
    replaces: parts.map(({ replaces }) => replaces).find(Boolean) ?? "",
  };
}

function keyOfNote({ type, voiding, createdAt, authorName, content }: Note): string {
  if (type !== NoteType.MAINTENANCE || voiding || !createdAt) return "";
  const lines = serviceLines(content);
  if (lines.some(({ kind }) => kind.startsWith("meter"))) return "";
  const day = lines.find((line) => line.kind === "performedOn")?.date;
  return [timestampMs(createdAt), createdAt.nanos, day, authorName].join("\n");
}

/** Combines the notes of a service of several tasks as the history does. */
export function visitNotes(notes: readonly Note[], regular: string): Note[] {
  const visits = Map.groupBy(notes, (note) => keyOfNote(note) || note.id);
  return [...visits.values()].flatMap((parts) => {
    const [first] = parts;
    if (!first) return [];
    if (parts.length === 1) return first;
    // Newest first, while the tasks have their order.
    const tasks = parts.toReversed();
    return {
      ...first,
      content: wholeService(tasks.map(({ content }) => content)),
      taskName: tasks.map(({ taskName }) => taskName || regular).join(", "),
    };
  });
}
