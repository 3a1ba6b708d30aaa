import { CircleX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useReasonText } from "#/shared/words/reject-reasons";
import { useFuelText } from "#/shared/words/meter-text";
import { Button } from "#/shared/ui/button";
import { correctionOfUpdate, type Correction } from "../form/correction";
import type { OwnUpdate } from "../offline-data/own-update";
import type { OperatorPageState } from "../use-operator-page";
import { useMeterText } from "#/shared/words/use-meter-text";

/**
 * The newest unseen rejection, and the number of others. Only one is shown, so that the form stays on
 * screen.
 */
export function RejectedMessage({
  page,
  rejected,
  onCorrect,
  onSeen,
}: {
  page: OperatorPageState;
  rejected: readonly OwnUpdate[];
  onCorrect: (correction: Correction) => void;
  onSeen: (ids: readonly string[]) => void;
}) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const [update, ...others] = rejected;
  if (!update) return null;
  return (
    <section
      aria-label={t("updates.status.rejected")}
      className="mb-5 rounded-card border border-danger bg-raised p-4"
    >
      <div className="flex gap-2.5">
        <CircleX aria-hidden className="mt-0.5 size-5 shrink-0 text-danger" />
        <div className="min-w-0 break-words">
          <p>
            <span className="font-semibold text-danger">{t("updates.status.rejected")}:</span>{" "}
            <span className="font-semibold">
              <What update={update} page={page} />
            </span>
            {update.rejectReason && <> – {reasonText(update.rejectReason)}</>}
          </p>
          {others.length > 0 && (
            <p className="text-sm text-muted">
              {t("operator.rejected.more", { count: others.length })}
            </p>
          )}
        </div>
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={() => onCorrect(correctionOfUpdate(update))}>
          {t("operator.rejected.correct")}
        </Button>
        <Button variant="quiet" onClick={() => onSeen([update.id])}>
          {t("operator.rejected.gotIt")}
        </Button>
      </div>
    </section>
  );
}

/** "Excavator 3, 4,812.5 h" or "+8 h", or the fuel if there is no usage. */
function What({ update, page }: { update: OwnUpdate; page: OperatorPageState }) {
  const meterText = useMeterText();
  const fuelText = useFuelText();
  const unit = update.unit ?? page.machineOf(update.equipmentId)?.unit ?? "n/a";
  const figure =
    update.usageIncrease !== null
      ? meterText.difference(0, update.usageIncrease, unit)
      : update.newUsage !== null
        ? meterText.amount(update.newUsage, unit)
        : update.fuelAdded > 0
          ? fuelText(update.fuelAdded, update.fuelType, update.fullFill)
          : null;
  return figure === null ? update.equipmentName : `${update.equipmentName}, ${figure}`;
}
