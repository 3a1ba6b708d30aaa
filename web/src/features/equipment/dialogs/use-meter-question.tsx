import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { unitWord } from "#/domain/equipment-wire";
import { key } from "#/i18n/key";
import { parseDecimal } from "#/shared/form/decimal";
import { useFormat } from "#/shared/format/use-format";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { useCompanyDay, useCompanyZone } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { meterDoubt, type MeterDoubt } from "./meter-doubt";
import type { ServiceValues } from "./service-schema";
import { useMetersAround } from "./use-meters-around";

/**
 * Asks before `save` if the meter of a service does not fit the readings around its day. A meter above
 * the next reading is an error, because the server rejects it.
 */
export function useMeterQuestion(
  form: UseFormReturn<ServiceValues>,
  seen: Equipment,
  day: string,
  save: (values: ServiceValues) => void,
) {
  const around = useMetersAround(seen, day);
  const isToday = day === useCompanyDay();
  const { t } = useTranslation();
  const text = useDoubtText(seen);
  const [asked, setAsked] = useState<{ values: ServiceValues; doubt: MeterDoubt } | null>(null);
  return {
    submit: (values: ServiceValues) => {
      const meter = parseDecimal(values.meter ?? "");
      const until = isToday ? new Date() : new Date(`${day}T23:59:59Z`);
      // The readings of a past day may not be loaded, or could not be.
      const isKnown = meter !== null && (isToday || around !== null);
      const doubt = isKnown ? meterDoubt(seen, meter, around, until) : null;
      if (doubt?.reason === "above") {
        form.setError("meter", { message: text.reason(doubt) }, { shouldFocus: true });
      } else if (doubt) setAsked({ values, doubt });
      else save(values);
    },
    question: asked && (
      <AlertDialog
        open
        onOpenChange={() => setAsked(null)}
        title={text.title(asked.doubt)}
        description={text.reason(asked.doubt)}
        confirmLabel={t("equipment-detail.doubt.save")}
        cancelLabel={t("equipment-detail.doubt.change")}
        focusAfter={() => document.querySelector<HTMLElement>("[role=dialog] [name=meter]")}
        onConfirm={() => {
          setAsked(null);
          save(asked.values);
        }}
      />
    ),
  };
}

const why = {
  below: key("equipment-detail.doubt.below"),
  above: key("equipment-detail.doubt.above"),
  jump: key("equipment-detail.doubt.jump"),
};

function useDoubtText(seen: Equipment) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const zone = useCompanyZone();
  const amount = (value: number) => labels.amount(value, unitWord(seen.unit));
  return {
    title: ({ meter }: MeterDoubt) => t("equipment-detail.doubt.title", { amount: amount(meter) }),
    reason: ({ reason, meter, known }: MeterDoubt) =>
      t(why[reason], {
        known: amount(known.dial),
        // The day of the service is the company's, too.
        date: format.calendarDate(dayIn(zone, known.at)),
        difference: amount(Math.round((meter - known.dial) * 100) / 100),
      }),
  };
}
