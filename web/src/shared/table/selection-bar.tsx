import { SquareCheck } from "lucide-react";
import { useId, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button";
import { Checkbox } from "../ui/toggle";

interface Selection {
  column: object | null;
  isAll: boolean;
  start: () => void;
  stop: () => void;
  setAll: () => void;
  clear: () => void;
}

/** Begins a selection; hidden while there is one, and in an empty list. */
export function StartSelection({
  selection,
  rows,
  size,
}: {
  selection: Selection;
  rows: readonly unknown[] | undefined;
  size?: "small";
}) {
  const { t } = useTranslation();
  return (
    !selection.column &&
    !!rows?.length && (
      <Button onClick={selection.start} {...(size && { size })}>
        <SquareCheck aria-hidden className="size-4" />
        {t("equipment-bulk.start")}
      </Button>
    )
  );
}

/** Selects all rows of a list, counts the chosen ones, and ends the selection. */
export function SelectionBar({
  selection,
  count,
  matching,
  onAll = selection.setAll,
  text = null,
  children,
}: {
  selection: Selection;
  /** The number of chosen rows. */
  count: number;
  /** The number of rows in the list. */
  matching: number;
  /** Chooses all rows; by default those that are loaded. */
  onAll?: () => void;
  /** The count, or what the checkbox selects; by default of machines. */
  text?: string | null;
  /** The actions. */
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const id = useId();
  const { isAll, clear, stop } = selection;
  return (
    <div className="no-print sticky top-14 z-10 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-raised px-4 py-2">
      <div className="flex min-h-11 items-center gap-3 desk:min-h-8">
        <Checkbox id={id} checked={isAll} onChange={isAll ? clear : onAll} />
        <label htmlFor={id} className="cursor-pointer font-semibold">
          <span aria-live="polite">
            {text ??
              (count > 0
                ? t("equipment-bulk.selected", { count })
                : t("equipment-bulk.all", { count: matching }))}
          </span>
        </label>
      </div>
      <div className="ml-auto flex flex-wrap gap-2 max-md:w-full max-md:[&>*]:grow">
        {children}
        <Button size="small" onClick={stop}>
          {t("equipment-bulk.stop")}
        </Button>
      </div>
    </div>
  );
}
