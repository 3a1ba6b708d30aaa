import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { ArrowLeftRight, Clock, Fuel, MessageSquareText, TriangleAlert, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useNotesText } from "#/shared/words/replaced-note";
import { useReasonText } from "#/shared/words/reject-reasons";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";
import { CapturedOn } from "../captured-on";
import { useFlagTexts } from "../flags";
import { unitOf } from "../unit";
import type { Decided } from "../use-decided";
import { isLate } from "../late";
import { serviceRaised } from "./service-raised";
import { useLaterRecords } from "./use-later-records";
import { useMeterEndedBelow } from "./use-meter-ended-below";

/**
 * An update that took longer to arrive was captured without signal; the row then shows when it was
 * received.
 */
const promptly = 10 * 60_000;

export function UpdateTime({ update }: { update: OperatorUpdate }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { capturedAt, createdAt } = update;
  const when = capturedAt ?? createdAt;
  if (!when) return null;
  const late = capturedAt && createdAt && timestampMs(createdAt) - timestampMs(capturedAt);
  return (
    <>
      {format.instant(timestampDate(when))}
      {late !== undefined && late > promptly && createdAt && (
        <span className="block">
          {t("review.entry.received", { when: format.instant(timestampDate(createdAt)) })}
        </span>
      )}
      <CapturedOn update={update} />
    </>
  );
}

/** "4,812.5 hours +8.4 h" or "+8 h → 4,812.1 hours", fuel and notes. */
export function UpdateFigures({
  update,
  equipment,
  before,
  readingId,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  /** See `useMeterBefore`. */
  before: number | undefined;
  readingId?: string | undefined;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const notesText = useNotesText();
  const { newUsage, usageIncrease, fuelAdded, notes } = update;
  const unit = unitOf(update, equipment);
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
        <p id={readingId}>
          {newUsage !== undefined ? (
            <>
              <span className="font-semibold">{text.reading(newUsage, unit)}</span>
              {before !== undefined && (
                <span className="ml-2 text-sm text-muted">
                  {text.difference(before, newUsage, unit)}
                </span>
              )}
            </>
          ) : usageIncrease !== undefined ? (
            <>
              <span className="font-semibold">{text.difference(0, usageIncrease, unit)}</span>
              {/* It does not move a meter that was never read. */}
              {before !== undefined && equipment?.meterReadAt && (
                <span className="ml-2 text-sm text-muted">
                  → {text.reading(equipment.meterReading + usageIncrease, unit)}
                </span>
              )}
            </>
          ) : (
            <span className="text-muted">{t("review.queue.noReading")}</span>
          )}
        </p>
        {fuelAdded > 0 && (
          <p className="flex items-baseline gap-1.5 text-sm">
            <Fuel aria-hidden className="size-3.5 shrink-0 self-center text-muted" />
            {text.fuel(fuelAdded, fuelKindWord(update.fuelKind), update.fullFill)}
          </p>
        )}
      </div>
      {notes && (
        <p className="mt-0.5 flex gap-1.5 text-sm text-muted">
          <MessageSquareText aria-hidden className="mt-1 size-3.5 shrink-0" />
          <span className="min-w-0 whitespace-pre-line">{notesText(notes)}</span>
        </p>
      )}
    </>
  );
}

/** The flags and other remarks, one per line. */
export function UpdateFlags({
  update,
  equipment,
  before,
  gone,
  decided,
  id,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  /** See `useMeterBefore`. */
  before: number | undefined;
  /** The machine is retired or was deleted. */
  gone: boolean;
  /** It was just decided, so that advice for the decision is left out. */
  decided?: Decided | undefined;
  id?: string | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const reasonText = useReasonText();
  const ended = useMeterEndedBelow(update, equipment);
  const later = useLaterRecords(update, equipment);
  // Its text advises, or says what accepting does.
  const flagged = decided ? withoutAnswered(update, decided) : update;
  const flags = useFlagTexts()(flagged, equipment, { gone, before, ended, later });
  const { reportedEquipmentName: reported } = update;
  const hasUsage = (update.newUsage ?? update.usageIncrease) !== undefined;
  // The flag of a contradicting one says where it is recorded.
  const late = hasUsage && isLate(update, equipment) && !update.flags.includes("contradicts");
  const service =
    equipment && later && !decided ? serviceRaised(update, equipment, later) : undefined;
  const takenBack = update.status === UpdateStatus.TAKEN_BACK;
  if (flags.length === 0 && !late && !service && !reported && !takenBack) return null;
  return (
    <ul id={id} className="space-y-0.5 text-sm">
      {takenBack && (
        <Line icon={<Undo2 aria-hidden className="size-4" />}>
          {t("review.takenBack.by", {
            name: update.takenBackBy,
            reason: reasonText(update.takenBackReason),
          })}
        </Line>
      )}
      {flags.map((flag) => (
        <Line key={flag} icon={<TriangleAlert aria-hidden className="size-4" />}>
          <span className="font-semibold">{flag}</span>
        </Line>
      ))}
      {late && (
        <Line icon={<Clock aria-hidden className="size-4" />}>{t("review.flags.late")}</Line>
      )}
      {service && (
        <Line icon={<Clock aria-hidden className="size-4" />}>
          {t("review.flags.service", { day: format.calendarDate(service) })}
        </Line>
      )}
      {reported && (
        <Line icon={<ArrowLeftRight aria-hidden className="size-4" />}>
          {t("review.entry.moved", { name: reported })}
        </Line>
      )}
    </ul>
  );
}

const readingFlags = new Set(["below_meter", "contradicts", "jump", "wrong_unit"]);

/** Without advice, and without what was said about a reading that was applied with another value. */
function withoutAnswered(update: OperatorUpdate, { now }: Decided): OperatorUpdate {
  const reading = now?.appliedReading;
  const isCorrected = reading !== undefined && reading !== update.newUsage;
  return {
    ...update,
    belowCurrent: update.belowCurrent && !isCorrected,
    flags: update.flags.filter((flag) =>
      isCorrected ? !readingFlags.has(flag) : flag !== "contradicts",
    ),
  };
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex gap-2 [&>svg]:mt-0.5 [&>svg]:shrink-0 [&>svg]:text-muted">
      {icon}
      <span className="min-w-0">{children}</span>
    </li>
  );
}
