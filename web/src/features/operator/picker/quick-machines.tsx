import { Star } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { FieldMachine } from "../offline-data/machines";
import type { OperatorPageState } from "../use-operator-page";
import { NotUsable } from "./not-usable";
import { UnitNumber } from "#/shared/ui/unit-number";
import { useMeterText } from "#/shared/words/use-meter-text";

/** Buttons for pinned and recently used machines. */
export function QuickMachines({
  page,
  onChoose,
}: {
  page: OperatorPageState;
  onChoose: (machine: FieldMachine) => void;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  if (page.quickMachines.length === 0) return null;
  return (
    <ul aria-label={t("operator.picker.atHand")} className="mb-2 grid grid-cols-2 gap-2">
      {page.quickMachines.map((machine) => (
        <li key={machine.equipmentId} className="flex">
          <button
            type="button"
            onClick={() => onChoose(machine)}
            className="flex min-h-18 w-full min-w-0 flex-col justify-center rounded-(--control-radius) border border-control-line bg-raised px-3 py-2 text-left transition-colors hover:bg-sunken"
          >
            <span className="flex items-start gap-1.5 leading-snug font-semibold">
              <span className="line-clamp-3 min-w-0 flex-1 break-words">
                <UnitNumber number={machine.unitNumber} />
                {machine.name}
              </span>
              {page.isPinned(machine.equipmentId) && (
                <Star
                  role="img"
                  aria-label={t("operator.picker.pinned")}
                  className="mt-0.5 size-4 shrink-0 fill-accent text-accent"
                />
              )}
            </span>
            {machine.unit !== "n/a" && (
              <span className="text-sm">
                {text.amount(page.lastOf(machine).reading, machine.unit)}
              </span>
            )}
            <NotUsable machine={machine} />
          </button>
        </li>
      ))}
    </ul>
  );
}
