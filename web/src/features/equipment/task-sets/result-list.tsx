import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { sentenceText } from "#/api/error-text";
import { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  TaskSetChangeKind as Kind,
  type TaskSetChange,
  type TaskSetItem,
  type TaskSetResult,
} from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { useIntervalText } from "../detail/use-interval-text";
import { machinesQuery } from "../table/all-pages";

/** Whether applying the set changes a task of the machine. Lookalikes are skipped unless `isAdded`. */
export function changesMachine(
  { ok, changes, equipmentId }: TaskSetResult,
  isAdded: LookalikeChoice["isAdded"] = () => true,
): boolean {
  return (
    ok &&
    changes.some(
      ({ kind, after, lookalike }) =>
        kind !== Kind.SAME &&
        kind !== Kind.KEPT &&
        !(after && lookalike && !isAdded(equipmentId, after.id)),
    )
  );
}

export interface LookalikeChoice {
  isAdded: (equipmentId: string, itemId: string) => boolean;
  onChange: (equipmentId: string, itemId: string, isAdded: boolean) => void;
}

/** What happens to the tasks of each machine. */
export function ResultList({
  results,
  unit,
  lookalikes,
}: {
  results: readonly TaskSetResult[];
  unit: MeterUnit;
  /** Asks whether tasks are added that look like one of the machine; otherwise they are shown. */
  lookalikes?: LookalikeChoice;
}) {
  const { t } = useTranslation();
  const hasNoMeter = useHasNoMeter(results);
  if (results.length === 0) return <p className="text-muted">{t("task-sets.apply.noMachines")}</p>;
  return (
    <ul aria-label={t("task-sets.apply.machines")} className="divide-y divide-line">
      {results.map((result) => (
        <li key={result.equipmentId} className="py-3 first:pt-0 last:pb-0">
          <p className="font-semibold wrap-anywhere">
            {result.equipmentName || t("task-sets.apply.unknownMachine")}
          </p>
          {result.ok ? (
            <Changes
              changes={result.changes}
              unit={unit}
              lookalikes={lookalikes && { ...lookalikes, equipmentId: result.equipmentId }}
            />
          ) : (
            <p className="text-danger">
              {hasNoMeter(result) ? t("task-sets.apply.noMeter") : reasonOf(t, result)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A machine without a meter is refused as one with another unit. */
function useHasNoMeter(results: readonly TaskSetResult[]): (result: TaskSetResult) => boolean {
  const differs = ({ code }: TaskSetResult) => code === "TASK_SET_UNIT_DIFFERS";
  const machines = useQuery({
    ...machinesQuery(useTransport(), {}),
    enabled: results.some(differs),
  }).data;
  return (result) =>
    differs(result) &&
    machines?.find(({ id }) => id === result.equipmentId)?.unit === MeterUnit.NOT_APPLICABLE;
}

function reasonOf(t: TFunction, { code, message, parameters }: TaskSetResult): string {
  return sentenceText(t, { code, text: message, params: parameters }) ?? message;
}

type Change = Pick<TaskSetChange, "kind" | "before" | "after" | "lookalike">;

export function Changes({
  changes,
  unit,
  lookalikes,
}: {
  changes: readonly Change[];
  unit: MeterUnit;
  lookalikes?: (LookalikeChoice & { equipmentId: string }) | undefined;
}) {
  const { t } = useTranslation();
  const text = useChangeText(unit);
  const shown = changes.filter(({ kind }) => kind !== Kind.SAME);
  if (shown.length === 0) return <p className="text-muted">{t("task-sets.change.same")}</p>;
  return (
    <ul className="mt-1 space-y-1 text-sm">
      {shown.map((change) => (
        <li key={(change.after ?? change.before)?.name} className="wrap-anywhere">
          {lookalikes && change.lookalike && change.after ? (
            <Lookalike
              {...lookalikes}
              item={change.after}
              lookalike={change.lookalike}
              unit={unit}
            />
          ) : (
            text(change)
          )}
        </li>
      ))}
    </ul>
  );
}

/** Asks whether a task is added that looks like one of the machine. */
function Lookalike({
  equipmentId,
  item,
  lookalike,
  unit,
  isAdded,
  onChange,
}: LookalikeChoice & {
  equipmentId: string;
  item: TaskSetItem;
  lookalike: TaskSetItem;
  unit: MeterUnit;
}) {
  const { t } = useTranslation();
  const interval = useIntervalText();
  return (
    <CheckboxInput
      label={t("task-sets.lookalike.add", {
        name: item.name,
        interval: interval({ ...item, unit }),
      })}
      hint={t("task-sets.lookalike.like", {
        name: lookalike.name || t("equipment-detail.tasks.regular"),
      })}
      checked={isAdded(equipmentId, item.id)}
      onChange={(event) => onChange(equipmentId, item.id, event.target.checked)}
    />
  );
}

/** "Oil: every 250 hours → every 200 hours" */
function useChangeText(unit: MeterUnit): (change: Change) => string {
  const { t } = useTranslation();
  const interval = useIntervalText();
  const every = (item: TaskSetItem | undefined) => (item ? interval({ ...item, unit }) : "");
  return ({ kind, before, after }) => {
    const name = before?.name ?? after?.name ?? "";
    const values = { name, before: every(before), after: every(after) };
    // A new name shows with the intervals.
    const renamed = before && after && before.name !== after.name ? after.name : "";
    switch (kind) {
      case Kind.ADDED:
        return t("task-sets.change.added", values);
      case Kind.REMOVED:
        return t("task-sets.change.removed", values);
      case Kind.CHANGED:
        return renamed === ""
          ? t("task-sets.change.changed", values)
          : t("task-sets.change.renamed", { ...values, renamed });
      case Kind.KEPT:
        if (!before) return t("task-sets.change.keptAway", values);
        return after ? t("task-sets.change.kept", values) : t("task-sets.change.keptOwn", values);
      case Kind.SAME:
      default:
        return t("task-sets.change.sameTask", values);
    }
  };
}
