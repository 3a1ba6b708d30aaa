import { clsx } from "clsx";
import {
  ArchiveRestore,
  ArrowLeftRight,
  Check,
  EllipsisVertical,
  Gauge,
  PencilLine,
  RotateCcw,
} from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { Button } from "#/shared/ui/button";
import { Menu, MenuItem } from "#/shared/ui/menu";
import { numberedName } from "#/shared/words/numbered-name";
import { isBelowWaiting, isFlagged } from "../flags";
import type { Correction } from "../use-decisions";
import { useUpdateText } from "#/shared/words/update-text";
import { computedReadings, fixesOf, likelyFixes, mainAct, type Act } from "./fixes";
import { useActLabel } from "./use-act-label";

const icons = {
  apply: Check,
  correct: PencilLine,
  move: ArrowLeftRight,
  replaced: Gauge,
  rolledOver: RotateCcw,
  restore: ArchiveRestore,
};

export interface ActProps {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  /** It can only be moved or rejected: see `mayOnlyMove`. */
  onlyMove: boolean;
  /** Its reading is below the meter. */
  below: boolean;
  /** See `useMeterBefore`. */
  before: number | undefined;
  /** The meter of its time ended below its reading. */
  aboveEnd: boolean;
  busy: boolean;
  /** Why updates can't be decided now. */
  blocked: string | undefined;
  /** -1 for all rows but the active one. */
  tabIndex?: 0 | -1 | undefined;
  onAct: (act: Act) => void;
  /** Applies these values in place of the reported ones. */
  onCorrect: (correction: Correction) => Promise<boolean>;
}

/** Below the meter, not only below another update that waits. */
function isBelowMeter({ update, equipment, below }: ActProps): boolean {
  return below && !isBelowWaiting(update, equipment);
}

export function UpdateActions(props: ActProps) {
  const { update, equipment, onlyMove, below, busy, blocked, tabIndex, onAct } = props;
  const { t } = useTranslation();
  const label = useActLabel();
  const flagged = below || isFlagged(update);
  const first = mainAct(update, equipment, isBelowMeter(props), onlyMove, props.aboveEnd);
  const isMain = first !== "apply" && !onlyMove;
  // No tooltip without a reason: hundreds of them would be slow.
  const reason = blocked === undefined ? {} : { disabledReason: blocked };
  const firstReason =
    onlyMove && blocked === undefined
      ? { disabledReason: t(equipment ? "review.entry.noMeter" : "review.entry.gone") }
      : reason;
  return (
    <div className="flex gap-2 max-md:flex-wrap">
      <Button
        size="small"
        variant={isMain ? "primary" : "secondary"}
        className={clsx(
          "max-md:h-13",
          !isMain && "text-accent!",
          // On a phone, accepting something unusual is the last button, below the others.
          flagged && !isMain ? "max-md:order-last max-md:w-full" : "max-md:flex-1",
        )}
        tabIndex={tabIndex}
        onClick={() => onAct(first)}
        pending={busy}
        pendingLabel={t("review.queue.applying")}
        {...firstReason}
      >
        {flagged ? label(first, props) : t("review.queue.apply")}
      </Button>
      <Button
        size="small"
        className="max-md:h-13 max-md:flex-1"
        tabIndex={tabIndex}
        onClick={() => onAct("reject")}
        {...reason}
      >
        {t("review.queue.reject")}
      </Button>
      <FixMenu
        {...{ update, equipment, onlyMove }}
        closed={busy || blocked !== undefined}
        {...{ tabIndex, onAct }}
      />
    </div>
  );
}

function FixMenu({
  update,
  equipment,
  onlyMove,
  closed,
  tabIndex,
  onAct,
}: Pick<ActProps, "update" | "equipment" | "onlyMove" | "tabIndex" | "onAct"> & {
  closed: boolean;
}) {
  const { t } = useTranslation();
  const about = {
    name: numberedName(update.equipmentName, equipment),
    operator: update.operatorName,
  };
  return (
    <Menu
      trigger={
        <Button
          size="small"
          variant="quiet"
          icon
          className="max-md:h-13"
          tabIndex={tabIndex}
          aria-label={t("review.entry.more", about)}
        >
          <EllipsisVertical aria-hidden className="size-5" />
        </Button>
      }
    >
      <FixItems {...{ update, equipment, onlyMove, closed, onAct }} />
    </Menu>
  );
}

function FixItems({
  update,
  equipment,
  onlyMove,
  closed,
  onAct,
}: Pick<ActProps, "update" | "equipment" | "onlyMove" | "onAct"> & { closed: boolean }) {
  const label = useActLabel();
  return fixesOf(update, equipment, onlyMove).map((act) => {
    const Icon = icons[act];
    return (
      <MenuItem
        key={act}
        disabled={closed}
        icon={<Icon aria-hidden className="size-4 text-muted" />}
        onSelect={() => onAct(act)}
      >
        {label(act)}
      </MenuItem>
    );
  });
}

/** The readings that were likely meant, and the most likely fixes of a flagged update. Rows on a phone. */
export function LikelyFixes(props: ActProps) {
  const { update, equipment, before, onlyMove, busy, blocked, tabIndex, onAct, onCorrect } = props;
  const { t } = useTranslation();
  const label = useActLabel();
  const text = useUpdateText();
  const readings = useMemo(() => computedReadings(update, equipment), [update, equipment]);
  const isBelow = isBelowMeter(props);
  const gone = onlyMove && !equipment;
  const likely = likelyFixes(update, equipment, isBelow, onlyMove, gone, props.aboveEnd);
  const isReplaced = mainAct(update, equipment, isBelow, onlyMove) === "replaced";
  if (likely.length === 0 || blocked !== undefined) return null;
  const unit = equipment?.unit;
  return (
    // Kept while busy, so that no row moves.
    <div inert={busy} className="space-y-1.5">
      {readings.length > 0 && !isReplaced && (
        <div className="flex flex-wrap gap-2">
          {readings.map((reading) => (
            <button
              key={reading}
              type="button"
              tabIndex={tabIndex}
              onClick={() => void onCorrect({ newUsage: reading })}
              className={clsx(fixClass, "border border-control-line")}
            >
              <Check aria-hidden className="size-3.5" />
              {t("review.act.applyReading", { reading: text.reading(reading, unit) })}
              {before !== undefined && (
                <span className="font-normal text-muted">
                  {text.difference(before, reading, unit)}
                </span>
              )}
            </button>
          ))}
        </div>
      )}
      <div className="flex flex-wrap max-md:gap-2 md:-ml-2">
        {likely.map((act) => {
          const Icon = icons[act];
          return (
            <button
              key={act}
              type="button"
              tabIndex={tabIndex}
              onClick={() => onAct(act)}
              className={clsx(fixClass, "max-md:border")}
            >
              <Icon aria-hidden className="size-3.5" />
              {label(act, props)}
            </button>
          );
        })}
      </div>
    </div>
  );
}

const fixClass =
  "inline-flex h-11 items-center gap-1.5 rounded-control px-2 text-left text-sm font-semibold text-accent hover:bg-accent-soft desk:h-7 max-md:h-13 max-md:w-full";
