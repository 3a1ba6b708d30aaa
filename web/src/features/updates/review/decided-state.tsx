import { CircleCheck, CircleX } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  UndoableDecision,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useUpdateText } from "#/shared/words/update-text";
import { numberedName } from "#/shared/words/numbered-name";
import { setsMeter } from "../later-records";
import type { EquipmentById } from "../queries";
import type { Decided } from "../use-decided";
import { UndoOrVoid } from "./undo-or-void";
import { useAppliedText } from "./use-applied-text";
import { useLaterRecords } from "./use-later-records";

/** What was decided, and an undo. Covers the former buttons, with the undo away from the first one. */
export function DecidedState({
  decided,
  equipment,
  busy,
  onUndo,
}: {
  decided: Decided;
  equipment: Equipment | undefined;
  busy: boolean;
  onUndo: () => void;
}) {
  const applied = decided.decision === UndoableDecision.APPLICATION;
  const Icon = applied ? CircleCheck : CircleX;
  return (
    <div className="absolute inset-0 flex items-start justify-between gap-2">
      <p className="flex min-h-8 items-center gap-1.5 max-md:min-h-13 text-sm leading-tight font-semibold">
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <DecidedText {...{ decided, equipment }} />
      </p>
      <UndoOrVoid
        until={decided.undoUntil}
        applied={applied ? (decided.now ?? decided.update) : undefined}
        className="max-md:h-13"
        pending={busy}
        onUndo={onUndo}
      />
    </div>
  );
}

/** Announces the decisions about these rows. Mounted with the list, before the first decision. */
export function DecidedStatus({
  updates,
  decided,
  equipment,
}: {
  updates: readonly OperatorUpdate[];
  decided: ReadonlyMap<string, Decided>;
  equipment: EquipmentById;
}) {
  const shown = updates.flatMap(({ id }) => decided.get(id) ?? []);
  return (
    // Not atomic: only the new decision is read.
    <p role="status" aria-atomic={false} className="sr-only">
      {shown.map((each) => {
        const item = equipment?.get(each.update.equipmentId);
        return (
          <span key={each.update.id}>
            {numberedName(each.update.equipmentName, item)}:{" "}
            <DecidedText decided={each} equipment={item} />
          </span>
        );
      })}
    </p>
  );
}

function DecidedText({
  decided: { update, now, decision },
  equipment,
}: {
  decided: Decided;
  equipment: Equipment | undefined;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const appliedText = useAppliedText();
  const contradicts = update.flags.includes("contradicts");
  const later = useLaterRecords(update, contradicts ? equipment : undefined);
  if (decision !== UndoableDecision.APPLICATION) return t("updates.status.rejected");
  if (now && now.equipmentId !== update.equipmentId) {
    return t("review.decided.appliedTo", { name: now.equipmentName });
  }
  const corrected = now && appliedText(now, equipment?.unit);
  if (corrected) return t("review.decided.appliedAs", { reading: corrected });
  // A later reading determines the meter.
  return equipment && later?.some(setsMeter)
    ? t("review.decided.meterStays", {
        reading: text.amount(equipment.meterReading, equipment.unit),
      })
    : t("updates.status.applied");
}
