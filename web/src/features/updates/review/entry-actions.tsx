import { ArrowLeftRight, Ellipsis, Gauge, PencilLine, RotateCcw } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { Button } from "#/shared/ui/button";
import { Menu, MenuItem } from "#/shared/ui/menu";
import { hasWrongUnit, isFlagged } from "../flags";
import { likelyFixes, fixesOf, type Act } from "./fixes";
import { useActLabel } from "./use-act-label";

const icons = {
  correct: PencilLine,
  move: ArrowLeftRight,
  replaced: Gauge,
  rolledOver: RotateCcw,
};

export interface ActProps {
  update: OperatorUpdate;
  /** Its reading is below the meter. */
  below: boolean;
  busy: boolean;
  /** Why updates can't be decided now. */
  blocked: string | undefined;
  /** -1 for all rows but the active one. */
  tabIndex?: 0 | -1 | undefined;
  onAct: (act: Act) => void;
}

export function EntryActions({ update, below, busy, blocked, tabIndex, onAct }: ActProps) {
  const { t } = useTranslation();
  const label = useActLabel();
  const flagged = below || isFlagged(update);
  // A number in another unit is no reading of this meter.
  const first = hasWrongUnit(update) ? "correct" : "apply";
  // No tooltip without a reason: hundreds of them would be slow.
  const reason = blocked === undefined ? {} : { disabledReason: blocked };
  return (
    <div className="flex gap-2 max-md:[&>button:not(:last-child)]:flex-1">
      <Button
        size="small"
        className="text-accent! max-md:h-13"
        tabIndex={tabIndex}
        onClick={() => onAct(first)}
        pending={busy}
        pendingLabel={t("review.queue.applying")}
        {...reason}
      >
        {flagged ? label(first) : t("review.queue.apply")}
      </Button>
      <Button
        size="small"
        className="max-md:h-13"
        tabIndex={tabIndex}
        onClick={() => onAct("reject")}
        {...reason}
      >
        {t("review.queue.reject")}
      </Button>
      <FixMenu update={update} closed={busy || blocked !== undefined} {...{ tabIndex, onAct }} />
    </div>
  );
}

function FixMenu({
  update,
  closed,
  tabIndex,
  onAct,
}: Pick<ActProps, "update" | "tabIndex" | "onAct"> & { closed: boolean }) {
  const { t } = useTranslation();
  const about = { name: update.equipmentName, operator: update.operatorName };
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
          <Ellipsis aria-hidden className="size-5" />
        </Button>
      }
    >
      <FixItems {...{ update, closed, onAct }} />
    </Menu>
  );
}

function FixItems({
  update,
  closed,
  onAct,
}: Pick<ActProps, "update" | "onAct"> & { closed: boolean }) {
  const label = useActLabel();
  return fixesOf(update).map((act) => {
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

/** The most likely fixes of a flagged update as buttons, if there is room. */
export function LikelyFixes({ update, below, busy, blocked, tabIndex, onAct }: ActProps) {
  const label = useActLabel();
  const fixes = likelyFixes(update, below);
  if (fixes.length === 0 || busy || blocked !== undefined) return null;
  return (
    <div className="-ml-2 flex flex-wrap max-md:hidden">
      {fixes.map((act) => {
        const Icon = icons[act];
        return (
          <button
            key={act}
            type="button"
            tabIndex={tabIndex}
            onClick={() => onAct(act)}
            className="inline-flex h-7 items-center gap-1.5 rounded-control px-2 text-sm font-semibold text-accent hover:bg-accent-soft"
          >
            <Icon aria-hidden className="size-3.5" />
            {label(act)}
          </button>
        );
      })}
    </div>
  );
}
