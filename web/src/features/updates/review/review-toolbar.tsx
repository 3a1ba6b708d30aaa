import { clsx } from "clsx";
import type { TFunction } from "i18next";
import { Keyboard } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Checkbox } from "#/shared/ui/toggle";
import type { BulkKind, DecideMany } from "./use-decide-many";
import type { Selection } from "./use-selection";

export function ReviewToolbar({
  selectable,
  selection,
  unflagged,
  blocked,
  many,
  applicable,
  onApplySelected,
  onRejectSelected,
  onApplyAll,
  onKeys,
  selecting,
  onSelecting,
}: {
  selectable: readonly string[];
  selection: Selection;
  /** The total number of unflagged updates. */
  unflagged: number;
  blocked: string | undefined;
  many: DecideMany;
  /** The number of selected updates that can be applied as reported. */
  applicable: number;
  onApplySelected: () => void;
  onRejectSelected: () => void;
  onApplyAll: () => void;
  onKeys: () => void;
  /** Whether a phone shows the checkboxes. */
  selecting: boolean;
  onSelecting: (selecting: boolean) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  const count = selection.chosen.length;
  const all = selectable.length > 0 && count === selectable.length;
  const { progress } = many;
  const state = (kind: BulkKind, reason: string | undefined) => ({
    pending: progress?.kind === kind,
    pendingLabel: progress && progressText(t, progress),
    disabledReason: blocked ?? (progress ? t("review.summary.busy") : reason),
  });
  const none = selectable.length === 0 ? t("review.bulk.nothing") : t("review.bulk.none");
  const noneUnflagged = unflagged === 0 ? none : undefined;
  return (
    <div
      className={clsx(
        "top-14 z-10 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-t-card bg-raised px-4 py-2 md:sticky md:px-5",
        // Sticky on a phone only while needed, because it would hide much of the list.
        count > 0 && "max-md:sticky",
      )}
    >
      <div
        className={clsx(
          "flex min-h-11 items-center gap-3 desk:min-h-8",
          !selecting && "max-md:hidden",
        )}
      >
        <Checkbox
          id={id}
          checked={all}
          disabled={selectable.length === 0}
          onChange={() => (all ? selection.clear() : selection.set(selectable, true))}
        />
        <label htmlFor={id} className="cursor-pointer text-sm font-semibold">
          <span aria-live="polite">
            {count > 0 ? t("review.bulk.selected", { count }) : t("review.bulk.selectAll")}
          </span>
        </label>
      </div>
      <div className="ml-auto flex flex-wrap items-center gap-2 max-md:w-full max-md:[&>button]:grow">
        {count > 0 && (
          <>
            <Button
              size="small"
              variant="primary"
              onClick={onApplySelected}
              {...state("apply", applicable === 0 ? t("review.bulk.alone") : undefined)}
            >
              {applicable > 0 && applicable < count
                ? t("review.bulk.applyPart", { part: applicable, total: count })
                : t("review.bulk.apply")}
            </Button>
            <Button size="small" onClick={onRejectSelected} {...state("reject", undefined)}>
              {t("review.bulk.reject")}
            </Button>
          </>
        )}
        <Button
          size="small"
          className="md:hidden"
          onClick={() => {
            if (selecting) selection.clear();
            onSelecting(!selecting);
          }}
        >
          {selecting ? t("review.bulk.endSelecting") : t("review.bulk.select")}
        </Button>
        {count === 0 && (
          <Button
            size="small"
            variant={unflagged > 0 ? "primary" : "secondary"}
            onClick={onApplyAll}
            {...state("apply", noneUnflagged)}
          >
            {t("review.bulk.all", { total: unflagged })}
          </Button>
        )}
        <Button
          size="small"
          variant="quiet"
          icon
          className="max-md:hidden"
          aria-label={t("review.keys.open")}
          onClick={onKeys}
        >
          <Keyboard aria-hidden className="size-5" />
        </Button>
      </div>
    </div>
  );
}

function progressText(
  t: TFunction,
  { kind, done, total }: NonNullable<DecideMany["progress"]>,
): string {
  return kind === "apply"
    ? t("review.bulk.progress", { done, total })
    : t("review.bulk.progressReject", { done, total });
}
