import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useUpdateText } from "#/shared/words/update-text";
import { unitOf } from "../unit";
import type { Act } from "./fixes";
import { meterAbove, meterAfter } from "./lowering";

interface Of {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  /** See `useMeterBefore`. */
  before: number | undefined;
}

/** The labels of the fixes. With an update, accepting names a meter that is set back. */
export function useActLabel() {
  const { t } = useTranslation();
  const text = useUpdateText();
  return (act: Act, of?: Of): string => {
    const reading = of?.update.newUsage;
    const lowers =
      act === "apply" &&
      of !== undefined &&
      reading !== undefined &&
      // Of a reading that is only below what was added after it, accepting moves nothing back.
      of.update.belowCurrent &&
      meterAbove(of.update, of.equipment, reading) !== null;
    return lowers
      ? t("review.act.setBack", {
          reading: text.amount(
            meterAfter(reading, of.before, of.equipment),
            unitOf(of.update, of.equipment),
          ),
        })
      : label(t, act);
  };
}

function label(t: TFunction, act: Act): string {
  switch (act) {
    case "apply":
      return t("review.act.accept");
    case "correct":
      return t("review.act.correct");
    case "move":
      return t("review.act.move");
    case "replaced":
      return t("review.act.replaced");
    case "rolledOver":
      return t("review.act.rolledOver");
    case "restore":
      return t("retired.restore.action");
    case "reject":
      return t("review.act.reject");
  }
}
