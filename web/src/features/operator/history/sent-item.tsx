import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Pencil } from "lucide-react";
import { useTranslation } from "react-i18next";
import {
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord, type UnitWord } from "#/domain/equipment-words";
import { useRejectReasonText } from "#/shared/words/reject-reasons";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { stateOfUpdate, StateLine } from "./state-line";
import { UpdateFacts } from "./update-facts";

/** A submission the server has, and what became of it in words. */
export function SentItem({
  update,
  unit,
  corrected,
  onCorrect,
}: {
  update: OperatorUpdate;
  unit: UnitWord | undefined;
  /** Whether a corrected one of it was made on this device. */
  corrected: boolean;
  onCorrect: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const reasonText = useRejectReasonText();
  const at = update.capturedAt ?? update.createdAt;
  const rejected = update.status === UpdateStatus.REJECTED;
  return (
    <li className="p-4">
      <ItemHead name={update.equipmentName} time={at && format.time(timestampDate(at))} />
      {update.reportedEquipmentName && (
        <p className="text-sm text-muted">
          {t("operator.list.moved", { name: update.reportedEquipmentName })}
        </p>
      )}
      <UpdateFacts
        reading={update.newUsage ?? null}
        unit={unit}
        fuelAdded={update.fuelAdded}
        fuelKind={fuelKindWord(update.fuelKind)}
        notes={update.notes}
      />
      <StateLine state={stateOfUpdate(update.status)} className="mt-2" />
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
          {/* A corrected one can be thrown away again, or be wrong as well. */}
          <Button variant={corrected ? "quiet" : "secondary"} className="mt-3" onClick={onCorrect}>
            <Pencil aria-hidden className="size-4" />
            {t(corrected ? "operator.rejected.correctAgain" : "operator.rejected.correct")}
          </Button>
        </>
      )}
    </li>
  );
}

export function ItemHead({ name, time }: { name: string; time: string | undefined }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <p className="min-w-0 font-semibold break-words">{name}</p>
      {time && <p className="shrink-0 text-sm text-muted">{time}</p>}
    </div>
  );
}
