import { useId, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button";
import { Checkbox } from "../ui/toggle";

/** Selects all machines of a list, counts the chosen ones, and ends the selection. */
export function SelectionBar({
  count,
  matching,
  isAll,
  onAll,
  onStop,
  children,
}: {
  /** The number of chosen machines. */
  count: number;
  /** The number of machines in the list. */
  matching: number;
  isAll: boolean;
  /** Chooses all, or none if all are chosen. */
  onAll: () => void;
  onStop: () => void;
  /** The actions. */
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="no-print sticky top-14 z-10 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-raised px-4 py-2">
      <div className="flex min-h-11 items-center gap-3 md:min-h-8">
        <Checkbox id={id} checked={isAll} onChange={onAll} />
        <label htmlFor={id} className="cursor-pointer font-semibold">
          <span aria-live="polite">
            {count > 0
              ? t("equipment-bulk.selected", { count })
              : t("equipment-bulk.all", { count: matching })}
          </span>
        </label>
      </div>
      <div className="ml-auto flex flex-wrap gap-2 max-md:w-full max-md:[&>*]:grow">
        {children}
        <Button size="small" onClick={onStop}>
          {t("equipment-bulk.stop")}
        </Button>
      </div>
    </div>
  );
}
