import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { meterDifference, useUpdateText } from "#/domain/update-text";
import { parseDecimal } from "#/shared/form/decimal";

/** What the typed reading means beside the last one. Below it is allowed, with a word of warning. */
export function ReadingHint({
  equipment,
  reading,
}: {
  equipment: Equipment | undefined;
  reading: string;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const typed = parseDecimal(reading);
  if (!equipment || typed === null || typed < 0) return null;
  const { currentUsage: last, unit } = equipment;
  const change = meterDifference(last, typed);
  const difference = text.difference(last, typed, unit);
  if (change < 0) {
    return (
      <span
        aria-live="polite"
        className="flex gap-2.5 rounded-(--control-radius) border border-control-line bg-raised px-3 py-2 text-ink"
      >
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          <span className="font-semibold">{difference}</span>{" "}
          {t("operator.form.below", { last: text.reading(last, unit) })}
        </span>
      </span>
    );
  }
  return (
    <span aria-live="polite" className="text-ink">
      {change === 0 ? t("operator.form.same") : t("operator.form.difference", { difference })}
    </span>
  );
}
