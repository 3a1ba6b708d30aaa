import { clsx } from "clsx";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { CorrectForm } from "./correct-form";
import type { Decided } from "../use-decided";
import type { Correction } from "../use-decisions";
import { DecidedState } from "./decided-state";
import { UpdateActions, LikelyFixes, type ActProps } from "./update-actions";
import { UpdateFigures, UpdateFlags, UpdateTime } from "./update-facts";
import { useKept } from "./use-kept";
import { useMeterBefore } from "./use-meter-before";
import { useMeterEndedBelow } from "./use-meter-ended-below";

export interface WaitingUpdateProps extends Omit<ActProps, "aboveEnd" | "before" | "onCorrect"> {
  /** `before`: see `useMeterBefore`. */
  onCorrect: (correction: Correction, before: number | undefined) => Promise<boolean>;
  problem: string | undefined;
  /** Its reading is being corrected. */
  correcting: boolean;
  onLeave: () => void;
  /** It was just decided. */
  decided: Decided | undefined;
  onUndo: (decided: Decided) => void;
}

/**
 * A waiting update: who, when, its figures and what they change, its flags and the decision. `mark`
 * is rendered in front (a checkbox), `title` above (the machine, in lists that are not grouped). In
 * a grid each part is a cell.
 */
export function WaitingUpdate({
  mark,
  title,
  partId,
  cell,
  selecting,
  ...given
}: WaitingUpdateProps & {
  mark?: ReactNode;
  title?: ReactNode;
  /** The prefix of the ids of the elements that label the row. */
  partId?: string;
  cell?: "gridcell";
  /** Whether a phone shows the mark. */
  selecting?: boolean;
}) {
  const { update, problem, decided } = given;
  // The figures that were decided on stay; other texts would also move the rows below.
  const equipment = useKept(given.equipment, decided !== undefined || given.busy);
  const before = useKept(useMeterBefore(update, equipment), decided !== undefined || given.busy);
  const aboveEnd = useMeterEndedBelow(update, equipment) !== undefined;
  // A decided row has no other parts once the form of another row is opened.
  const correcting = useKept(given.correcting, decided !== undefined);
  const onCorrect = (correction: Correction) => given.onCorrect(correction, before);
  const entry = { ...given, equipment, before, aboveEnd, onCorrect };
  // Hidden, not removed, so that the next row does not move under the pointer.
  const hidden = decided ? { inert: true, className: "invisible" } : {};
  // An open form has its own buttons. On a phone it takes the place of these.
  const replaced = correcting && !decided;
  return (
    <div
      className={clsx(
        "grid gap-y-2 px-4 py-3 md:px-5 @min-[54rem]:gap-x-4",
        decided && "text-muted",
        mark !== undefined && "md:gap-x-3",
        mark === undefined
          ? "grid-cols-[0_minmax(0,1fr)] @min-[54rem]:grid-cols-[0_minmax(0,16rem)_minmax(0,1fr)_auto] @min-[54rem]:-ml-4"
          : "grid-cols-[auto_minmax(0,1fr)] @min-[54rem]:grid-cols-[auto_minmax(0,16rem)_minmax(0,1fr)_auto]",
      )}
    >
      {mark !== undefined && (
        <div role={cell} className={clsx("pt-px", selecting ? "max-md:mr-3" : "max-md:hidden")}>
          {mark}
        </div>
      )}
      <div role={cell} className="col-start-2 min-w-0">
        {title}
        <p id={partId && `${partId}-who`} className={title ? "text-sm" : "font-semibold"}>
          {update.operatorName}
        </p>
        <p className="text-sm text-muted">
          <UpdateTime update={update} />
        </p>
      </div>
      <div role={cell} className="col-start-2 min-w-0 @min-[54rem]:col-start-3">
        <UpdateFigures
          update={update}
          equipment={equipment}
          before={before}
          readingId={partId && `${partId}-reading`}
        />
        <div className="mt-1.5 space-y-1 empty:hidden">
          <UpdateFlags
            update={update}
            equipment={equipment}
            before={before}
            gone={entry.onlyMove && !equipment}
            decided={decided}
            id={partId && `${partId}-flags`}
          />
          {!correcting && (
            <div {...hidden}>
              <LikelyFixes {...entry} />
            </div>
          )}
        </div>
      </div>
      <div
        role={cell}
        inert={replaced}
        className={clsx(
          "relative col-start-2 row-start-3 @min-[54rem]:col-start-4 @min-[54rem]:row-start-1 @min-[54rem]:justify-self-end",
          replaced && "invisible",
        )}
      >
        <div {...hidden}>
          <UpdateActions {...entry} />
        </div>
        {decided && (
          <DecidedState
            decided={decided}
            equipment={equipment}
            busy={entry.busy}
            onUndo={() => entry.onUndo(decided)}
          />
        )}
      </div>
      {correcting && (
        <div
          role={cell}
          // Closes late, so that a second click decides nothing.
          className={clsx(
            "col-start-2 -col-end-1 row-start-3 grid transition-[grid-template-rows,opacity] delay-500 duration-200 ease-out @min-[54rem]:col-start-3 @min-[54rem]:row-start-2",
            decided ? "grid-rows-[0fr]" : "grid-rows-[1fr]",
          )}
        >
          <div
            inert={decided !== undefined}
            className={clsx("min-h-0 min-w-0", decided && "invisible overflow-hidden")}
          >
            <CorrectForm
              update={update}
              equipment={equipment}
              busy={entry.busy}
              onSubmit={entry.onCorrect}
              onLeave={entry.onLeave}
            />
          </div>
        </div>
      )}
      {problem && (
        <div role={cell} className="col-start-2 -col-end-1">
          <p role="alert" className="flex gap-2 text-sm font-semibold text-danger">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {problem}
          </p>
        </div>
      )}
    </div>
  );
}
