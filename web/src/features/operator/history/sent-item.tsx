import { useTranslation } from "react-i18next";
import { useReasonText } from "#/shared/words/reject-reasons";
import { useFormat } from "#/shared/format/use-format";
import { UnitNumber } from "#/shared/ui/unit-number";
import type { FieldMachine } from "../offline-data/machines";
import { readAt, type OwnUpdate } from "../offline-data/own-update";
import { AppliedLine } from "./applied-line";
import { stateOfUpdate, StateLine } from "./state-line";
import { UpdateActions } from "./update-actions";
import { factsOf, UpdateFacts } from "./update-facts";

export function SentItem({
  update,
  machine,
  corrected,
  onCorrect,
}: {
  update: OwnUpdate;
  machine: FieldMachine | undefined;
  /** Whether it was corrected on this device. */
  corrected: boolean;
  onCorrect: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const reasonText = useReasonText();
  const unit = machine?.unit;
  const reason = update.withdrawn ? null : (update.takenBackReason ?? update.rejectReason);
  return (
    <li className="p-4">
      <ItemHead
        name={update.equipmentName}
        number={machine?.unitNumber}
        time={format.time(readAt(update))}
      />
      {update.reportedEquipmentName && (
        <p className="text-sm text-muted">
          {t("operator.list.moved", { name: update.reportedEquipmentName })}
        </p>
      )}
      <UpdateFacts {...factsOf(update, unit)} />
      <StateLine state={stateOfUpdate(update)} className="mt-2" />
      <AppliedLine update={update} unit={unit} />
      {reason && (
        <p className="mt-0.5 pl-6 text-sm">
          {t("updates.status.rejectedReason", { reason: reasonText(reason) })}
        </p>
      )}
      {corrected && (
        <p className="mt-0.5 pl-6 text-sm text-muted">{t("operator.rejected.corrected")}</p>
      )}
      <UpdateActions update={update} unit={unit} corrected={corrected} onCorrect={onCorrect} />
    </li>
  );
}

export function ItemHead({
  name,
  number,
  time,
}: {
  name: string;
  number: string | null | undefined;
  time: string;
}) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <p className="min-w-0 font-semibold break-words">
        <UnitNumber number={number} />
        {name}
      </p>
      <p className="shrink-0 text-sm text-muted">{time}</p>
    </div>
  );
}
