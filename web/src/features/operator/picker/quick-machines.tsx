import { Star } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { FieldMeter } from "../offline-data/meters";
import type { Desk } from "../use-desk";
import { UnitNumber } from "#/shared/ui/unit-number";
import { useMeterText } from "../use-meter-text";

/** Pinned machines and those used lately: one press from unlocking the phone to typing. */
export function QuickMachines({
  desk,
  onChoose,
}: {
  desk: Desk;
  onChoose: (meter: FieldMeter) => void;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  if (desk.atHand.length === 0) return null;
  return (
    <ul aria-label={t("operator.picker.atHand")} className="mb-2 grid grid-cols-2 gap-2">
      {desk.atHand.map((meter) => (
        <li key={meter.equipmentId} className="flex">
          <button
            type="button"
            onClick={() => onChoose(meter)}
            className="flex min-h-18 w-full min-w-0 flex-col justify-center rounded-(--control-radius) border border-control-line bg-raised px-3 py-2 text-left transition-colors hover:bg-sunken"
          >
            <span className="flex items-start gap-1.5 leading-snug font-semibold">
              <span className="line-clamp-2 min-w-0 flex-1 break-words">
                <UnitNumber number={meter.unitNumber} />
                {meter.name}
              </span>
              {desk.isPinned(meter.equipmentId) && (
                <Star
                  role="img"
                  aria-label={t("operator.picker.pinned")}
                  className="mt-0.5 size-4 shrink-0 fill-accent text-accent"
                />
              )}
            </span>
            <span className="text-sm text-muted">
              {text.amount(desk.lastOf(meter).reading, meter.unit)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
