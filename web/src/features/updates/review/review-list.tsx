import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { KeysDialog } from "#/shared/keys/keys-dialog-on-demand";
import { useKeysOn } from "#/shared/keys/keys-choice";
import { useKeys } from "#/shared/keys/use-keys";
import { toast } from "#/shared/toast/store";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Empty } from "#/shared/ui/empty";
import type { EquipmentById } from "../queries";
import { needsValue } from "../flags";
import type { Decided } from "../use-decided";
import type { Decisions } from "../use-decisions";
import { ApplyAllDialog } from "./apply-all-dialog";
import { DecidedStatus } from "./decided-state";
import { MachineHeader } from "./machine-header";
import { firstRows, unflaggedIds, type Machine } from "./machines";
import { Questions, useActs, type Acts } from "./questions";
import { fixesOf, mayOnlyMove, type Act } from "./fixes";
import { ReviewRow, type RowActions } from "./review-row";
import { ReviewToolbar } from "./review-toolbar";
import { reviewKeys } from "./review-keys";
import { useActiveRow, useFocusedRow } from "./use-active-row";
import type { DecideMany } from "./use-decide-many";
import { useGrowingCount } from "./use-growing-count";
import { useMachines } from "./use-machines";
import { useSelection, type Selection } from "./use-selection";

export function ReviewList({
  updates,
  hidden,
  unflagged,
  equipment,
  decisions,
  many,
  blocked,
  focused,
}: {
  updates: readonly OperatorUpdate[];
  /** The number of updates that the filter hides. */
  hidden: number;
  /** The number of unflagged updates, including those not in `updates`. */
  unflagged: number;
  equipment: EquipmentById;
  decisions: Decisions;
  many: DecideMany;
  blocked: string | undefined;
  /** The update whose row gets the focus. */
  focused: string | undefined;
}) {
  const { t } = useTranslation();
  const { machines, leaving } = useMachines(updates);
  const { decided } = decisions;
  const shown = machines
    .flatMap((machine) => machine.updates)
    .filter(({ id }) => !leaving.has(id) && !decided.has(id));
  const rendered = useRenderedMachines(machines);
  const rows = useActiveRow(shown.map(({ id }) => id));
  useFocusedRow(focused);
  const equipmentOf = (update: OperatorUpdate) => equipment?.get(update.equipmentId);
  const isSelectable = (update: OperatorUpdate) => !update.applying;
  const selectable = shown.filter(isSelectable).map(({ id }) => id);
  const selection = useSelection(selectable);
  // Updates that need a value can be rejected together, not applied.
  const applicable = shown.filter(
    (update) =>
      selection.has(update.id) &&
      isSelectable(update) &&
      !decisions.isBelow(update) &&
      !needsValue(update),
  );
  const acts = useActs(decisions, equipment);
  const [selecting, setSelecting] = useState(false);
  const [asking, setAsking] = useState<"all" | "keys" | "reject" | null>(null);

  const act = (update: OperatorUpdate, what: Act) => {
    if (decisions.isBusy(update.id) || update.applying) return;
    // Its form has a value that may be meant instead.
    if (acts.correcting === update.id) return;
    if (blocked !== undefined) return toast.failure(t("review.toast.failed"), blocked);
    const onlyMove = mayOnlyMove(update, equipment);
    const fixes: Act[] = fixesOf(update, equipment?.get(update.equipmentId), onlyMove);
    // Of a machine that is gone, the row offers it.
    const always = what === "reject" || what === "restore";
    if (what === "apply" ? onlyMove : !always && !fixes.includes(what)) return;
    // Rows that leave because of the user's own press need no animation.
    rows.expectRemoval(update.id);
    acts.act(update, what);
  };
  const actions = useStable({
    onActive: rows.setActive,
    onSelect: selection.toggle,
    onAct: act,
    onCorrect: (update, correction, before) => {
      rows.expectRemoval(update.id);
      return acts.correct(update, correction, before);
    },
    onUndo: (each) => void acts.undo(each),
    onLeave: () => {
      acts.stopCorrecting();
      rows.focus();
    },
  });
  const askAll = () => {
    if (unflagged > 0 && blocked === undefined) setAsking("all");
  };
  const undoByKey = async (last: Decided) => {
    if (await acts.undo(last)) rows.focusWhenListed(last.update.id);
  };
  useReviewKeys({
    rows,
    shown,
    selection,
    act,
    askAll,
    askKeys: () => setAsking("keys"),
    undoLast: () => {
      const last = [...decided.values()].at(-1);
      if (last) void undoByKey(last);
    },
  });

  const applySelected = async () => {
    const outcome = await many.apply(applicable.map(({ id }) => id));
    if (outcome && outcome.done.length + outcome.refused > 0) selection.clear();
  };
  return (
    <>
      <DecidedStatus {...{ updates, decided, equipment }} />
      {updates.length === 0 && unflagged === 0 ? (
        <Empty
          drawing="review"
          title={hidden > 0 ? t("review.queue.noUnflagged") : t("review.queue.empty")}
          description={hidden > 0 ? t("review.queue.flaggedHidden") : t("review.queue.emptyText")}
        />
      ) : (
        <>
          <ReviewToolbar
            selectable={selectable}
            selection={selection}
            unflagged={unflagged}
            blocked={blocked}
            many={many}
            applicable={applicable.length}
            onApplySelected={() => void applySelected()}
            onRejectSelected={() => setAsking("reject")}
            onApplyAll={askAll}
            onKeys={() => setAsking("keys")}
            selecting={selecting}
            onSelecting={setSelecting}
          />
          <div
            role="grid"
            aria-multiselectable
            aria-label={t("review.list")}
            className="@container"
          >
            {rendered.map((machine) => (
              <div
                key={machine.equipmentId}
                role="rowgroup"
                className="[contain-intrinsic-size:auto_8rem] [content-visibility:auto]"
              >
                {/* Removed with its last row; later, the rows below would jump during a press. */}
                {machine.updates.some(({ id }) => !leaving.has(id)) && (
                  <MachineHeader
                    machine={machine}
                    equipment={equipment}
                    selectable={machine.updates
                      .map(({ id }) => id)
                      .filter((id) => selectable.includes(id))}
                    selection={selection}
                    selecting={selecting}
                  />
                )}
                {machine.updates.map((update) => (
                  <ReviewRow
                    key={update.id}
                    update={update}
                    equipment={equipmentOf(update)}
                    onlyMove={mayOnlyMove(update, equipment)}
                    active={update.id === rows.active}
                    selected={
                      isSelectable(update) && !decided.has(update.id)
                        ? selection.has(update.id)
                        : undefined
                    }
                    selecting={selecting}
                    correcting={acts.correcting === update.id}
                    below={decisions.isBelow(update)}
                    busy={decisions.isBusy(update.id)}
                    leaving={leaving.has(update.id)}
                    decided={decided.get(update.id)}
                    problem={decisions.problemOf(update.id)}
                    blocked={blocked}
                    actions={actions}
                  />
                ))}
              </div>
            ))}
          </div>
        </>
      )}
      {/* Rendered without rows too: someone else may have decided the update of an open dialog. */}
      <Questions
        acts={acts}
        equipment={equipment}
        decisions={decisions}
        onClosed={rows.restoreFocus}
      />
      {asking === "reject" && (
        <RejectManyDialog
          ids={selection.chosen}
          many={many}
          onRejected={selection.clear}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === "keys" && (
        <KeysDialog
          pageKeys={reviewKeys}
          pageTitle="shell.titles.review"
          onClose={() => setAsking(null)}
        />
      )}
      <ApplyAllDialog
        open={asking === "all"}
        count={unflagged}
        onOpenChange={() => setAsking(null)}
        onConfirm={() => {
          setAsking(null);
          void many.applyUnflagged(unflaggedIds(shown), unflagged);
        }}
      />
    </>
  );
}

const RejectManyDialog = dialogOnDemand(() =>
  import("./reject-dialog").then((module) => module.RejectManyDialog),
);

/** A held key may move through rows, but every decision needs a separate press. */
const repeatableKeys = new Set(["j", "k", "ArrowDown", "ArrowUp"]);

function useRenderedMachines(machines: readonly Machine[]): readonly Machine[] {
  const total = machines.reduce((sum, machine) => sum + machine.updates.length, 0);
  const maxRows = useGrowingCount(total);
  return useMemo(() => firstRows(machines, maxRows), [machines, maxRows]);
}

/** Stable functions that call the latest ones. */
function useStable(actions: RowActions): RowActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      onActive: (id) => latest.current.onActive(id),
      onSelect: (id, range) => latest.current.onSelect(id, range),
      onAct: (update, act) => latest.current.onAct(update, act),
      onCorrect: (update, correction, before) =>
        latest.current.onCorrect(update, correction, before),
      onLeave: () => latest.current.onLeave(),
      onUndo: (each) => latest.current.onUndo(each),
    }),
    [],
  );
}

function useReviewKeys({
  rows,
  shown,
  selection,
  act,
  askAll,
  askKeys,
  undoLast,
}: {
  rows: ReturnType<typeof useActiveRow>;
  shown: readonly OperatorUpdate[];
  selection: Selection;
  act: Acts["act"];
  askAll: () => void;
  askKeys: () => void;
  undoLast: () => void;
}): void {
  const on = useKeysOn();
  // Shortcuts act on the focused row.
  const here = () => (rows.isInside() ? shown.find(({ id }) => id === rows.active) : undefined);
  const at = (what: Act) => () => {
    const update = rows.isSettled() ? here() : undefined;
    if (update) act(update, what);
  };
  const select = (range: boolean) => () => {
    const update = here();
    if (!update) return;
    if (selection.isSelectable(update.id)) selection.toggle(update.id, range);
  };
  const arrow = (step: 1 | -1) => rows.isInside() && (() => rows.move(step));
  useKeys(
    () =>
      on
        ? {
            j: () => rows.move(1),
            k: () => rows.move(-1),
            ArrowDown: arrow(1),
            ArrowUp: arrow(-1),
            x: select(false),
            "Shift+X": select(true),
            a: at("apply"),
            r: at("reject"),
            e: at("correct"),
            m: at("move"),
            u: undoLast,
            "Shift+A": askAll,
            "?": askKeys,
          }
        : { ArrowDown: arrow(1), ArrowUp: arrow(-1) },
    repeatableKeys,
  );
}
