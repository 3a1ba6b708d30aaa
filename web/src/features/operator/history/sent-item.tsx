import { Pencil } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";
import { useReasonText } from "#/shared/words/reject-reasons";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { readAt, type OwnUpdate } from "../offline-data/own-update";
import { AppliedLine } from "./applied-line";
import { stateOfUpdate, StateLine } from "./state-line";
import { UpdateFacts } from "./update-facts";

export function SentItem({
  update,
  unit,
  corrected,
  onCorrect,
}: {
  update: OwnUpdate;
  unit: UnitWord | undefined;
  /** Whether it was corrected on this device. */
  corrected: boolean;
  onCorrect: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const reasonText = useReasonText();
  const rejected = update.status === "rejected";
  return (
    <li className="p-4">
      <ItemHead name={update.equipmentName} time={format.time(readAt(update))} />
      {update.reportedEquipmentName && (
        <p className="text-sm text-muted">
          {t("operator.list.moved", { name: update.reportedEquipmentName })}
        </p>
      )}
      <UpdateFacts
        reading={update.newUsage}
        increase={update.usageIncrease}
        unit={unit}
        fuelAdded={update.fuelAdded}
        fuelKind={update.fuelType}
        fullFill={update.fullFill}
        notes={update.notes}
      />
      <StateLine state={stateOfUpdate(update.status)} className="mt-2" />
      <AppliedLine update={update} unit={unit} />
      {update.status === "taken_back" && update.takenBackReason && (
        <p className="mt-0.5 pl-6 text-sm">
          {t("updates.status.rejectedReason", { reason: reasonText(update.takenBackReason) })}
        </p>
      )}
      {rejected && (
        <>
          {update.rejectReason && (
            <p className="mt-0.5 pl-6 text-sm">
              {t("updates.status.rejectedReason", {
                reason: reasonText(update.rejectReason),
              })}
            </p>
          )}
          {corrected && (
            <p className="mt-0.5 pl-6 text-sm text-muted">{t("operator.rejected.corrected")}</p>
          )}
          {/* A correction can be discarded or be wrong too, so the button stays. */}
          <Button variant={corrected ? "quiet" : "secondary"} className="mt-3" onClick={onCorrect}>
            <Pencil aria-hidden className="size-4" />
            {t(corrected ? "operator.rejected.correctAgain" : "operator.rejected.correct")}
          </Button>
        </>
      )}
    </li>
  );
}

export function ItemHead({ name, time }: { name: string; time: string }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <p className="min-w-0 font-semibold break-words">{name}</p>
      <p className="shrink-0 text-sm text-muted">{time}</p>
    </div>
  );
}
