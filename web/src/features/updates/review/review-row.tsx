import { clsx } from "clsx";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { Checkbox } from "#/shared/ui/toggle";
import { numberedName } from "#/shared/words/numbered-name";
import type { Decided } from "../use-decided";
import type { Correction } from "../use-decisions";
import { WaitingUpdate } from "./waiting-update";
import type { Act } from "./fixes";
import { rowId } from "./use-active-row";

/** Callbacks of a row; stable for all rows, so that only changed rows render. */
export interface RowActions {
  onActive: (id: string) => void;
  onSelect: (id: string, range: boolean) => void;
  onAct: (update: OperatorUpdate, act: Act) => void;
  onCorrect: (
    update: OperatorUpdate,
    correction: Correction,
    before: number | undefined,
  ) => Promise<boolean>;
  onLeave: () => void;
  onUndo: (decided: Decided) => void;
}

interface Props {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  onlyMove: boolean;
  active: boolean;
  /** Undefined: not selectable. */
  selected: boolean | undefined;
  /** Whether a phone shows the checkboxes. */
  selecting: boolean;
  correcting: boolean;
  below: boolean;
  busy: boolean;
  leaving: boolean;
  /** It was just decided. */
  decided: Decided | undefined;
  problem: string | undefined;
  blocked: string | undefined;
  actions: RowActions;
}

export const ReviewRow = memo(function ReviewRow(props: Props) {
  const { update, active, selected, busy, leaving, decided, actions } = props;
  const { t } = useTranslation();
  const id = rowId(update.id);
  return (
    <div
      id={id}
      role="row"
      tabIndex={active ? 0 : -1}
      inert={leaving}
      aria-labelledby={`${id}-who ${id}-reading ${id}-flags`}
      aria-selected={selected}
      aria-busy={busy || update.applying || undefined}
      data-decided={decided && ""}
      onFocus={decided ? undefined : () => actions.onActive(update.id)}
      className={clsx(
        "grid scroll-mt-36 scroll-mb-6 border-t border-line transition-[grid-template-rows,opacity] duration-200 ease-out first:border-t-0",
        "-outline-offset-2 focus-within:bg-sunken/60 hover:bg-sunken/60",
        selected && "bg-accent-soft",
        leaving ? "grid-rows-[0fr] opacity-0" : "grid-rows-[1fr]",
      )}
    >
      <div role="presentation" className={clsx("min-h-0 min-w-0", leaving && "overflow-hidden")}>
        <WaitingUpdate
          cell="gridcell"
          partId={id}
          selecting={props.selecting}
          mark={
            <span className="grid size-6 place-items-center">
              {selected !== undefined && (
                <Checkbox
                  tabIndex={active ? 0 : -1}
                  aria-label={t("review.queue.select", {
                    name: numberedName(update.equipmentName, props.equipment),
                    operator: update.operatorName,
                  })}
                  checked={selected}
                  onChange={({ nativeEvent }) =>
                    actions.onSelect(
                      update.id,
                      nativeEvent instanceof MouseEvent && nativeEvent.shiftKey,
                    )
                  }
                />
              )}
            </span>
          }
          update={update}
          equipment={props.equipment}
          onlyMove={props.onlyMove}
          below={props.below}
          busy={busy || update.applying}
          blocked={props.blocked}
          problem={props.problem}
          correcting={props.correcting}
          tabIndex={active ? 0 : -1}
          onAct={(act) => actions.onAct(update, act)}
          onCorrect={(correction, before) => actions.onCorrect(update, correction, before)}
          onLeave={actions.onLeave}
          decided={decided}
          onUndo={actions.onUndo}
        />
      </div>
    </div>
  );
});
