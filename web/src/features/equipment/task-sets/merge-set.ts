import type { TaskSet, TaskSetChange } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { TaskSetChangeKind } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { valuesOfSet, type SetValues } from "./set-schema";

type ItemChange = Pick<TaskSetChange, "kind" | "before" | "after">;

/** What has changed between two versions of a set. */
export function setChanges(opened: TaskSet, now: TaskSet): ItemChange[] {
  const [before, after] = [valuesOfSet(opened), valuesOfSet(now)];
  const changed = now.items.flatMap((item): ItemChange[] => {
    const earlier = opened.items.find(({ id }) => id === item.id);
    if (!earlier) return [{ kind: TaskSetChangeKind.ADDED, after: item }];
    const isSame = equal(find(before, item.id), find(after, item.id));
    return isSame ? [] : [{ kind: TaskSetChangeKind.CHANGED, before: earlier, after: item }];
  });
  const removed = opened.items
    .filter(({ id }) => !find(after, id))
    .map((item) => ({ kind: TaskSetChangeKind.REMOVED, before: item }));
  return [...changed, ...removed];
}

/** The typed values, with what only the other person has changed. */
export function mergeSet(opened: TaskSet, now: TaskSet, typed: SetValues): SetValues {
  const [base, theirs] = [valuesOfSet(opened), valuesOfSet(now)];
  const mine = typed.items.flatMap((item) => {
    if (item.id === "") return [item];
    const stored = find(theirs, item.id);
    const isTyped = !equal(find(base, item.id), item);
    if (stored) return [isTyped ? item : stored];
    // The other person has removed it.
    return isTyped ? [{ ...item, id: "" }] : [];
  });
  return {
    name: typed.name === base.name ? theirs.name : typed.name,
    unit: typed.unit === base.unit ? theirs.unit : typed.unit,
    items: [...mine, ...theirs.items.filter(({ id }) => !find(base, id))],
  };
}

type Item = SetValues["items"][number];

function find({ items }: SetValues, id: string): Item | undefined {
  return items.find((item) => item.id === id);
}

function equal(one: Item | undefined, other: Item | undefined): boolean {
  return (
    one?.name === other?.name &&
    one?.usageInterval === other?.usageInterval &&
    one?.calendarInterval === other?.calendarInterval &&
    one?.calendarUnit === other?.calendarUnit &&
    one?.basis === other?.basis &&
    one?.warning === other?.warning &&
    one?.warningUnit === other?.warningUnit &&
    one?.warningDays === other?.warningDays
  );
}
