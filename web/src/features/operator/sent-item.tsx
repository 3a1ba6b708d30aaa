import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CircleCheck, CircleX, Hourglass, Zap, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-words";
import { key, type TextKey } from "#/i18n/key";
import { useFormat } from "#/shared/format/use-format";
import { UpdateFacts } from "./update-facts";

interface Look {
  icon: LucideIcon;
  text: TextKey;
  tone: string;
}

function lookOf(status: UpdateStatus): Look {
  switch (status) {
    case UpdateStatus.APPLIED:
      return { icon: CircleCheck, text: key("updates.status.applied"), tone: "text-ink" };
    case UpdateStatus.RECENT:
      return { icon: Zap, text: key("updates.status.recent"), tone: "text-ink" };
    case UpdateStatus.REJECTED:
      return { icon: CircleX, text: key("updates.status.rejected"), tone: "text-danger" };
    case UpdateStatus.PENDING:
    case UpdateStatus.UNSPECIFIED:
    default:
      return { icon: Hourglass, text: key("updates.status.pending"), tone: "text-muted" };
  }
}

/** A submission the server has, and what became of it in words. */
export function SentItem({
  update,
  unit,
}: {
  update: OperatorUpdate;
  unit: MeterUnit | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const { icon: Icon, text, tone } = lookOf(update.status);
  const when = update.capturedAt ?? update.createdAt;
  return (
    <li className="p-4">
      <p className="font-semibold">{update.equipmentName}</p>
      {when && <p className="text-sm text-muted">{format.instant(timestampDate(when))}</p>}
      <UpdateFacts
        reading={update.newUsage ?? null}
        unit={unit}
        fuelAdded={update.fuelAdded}
        fuelKind={fuelKindWord(update.fuelKind)}
        notes={update.notes}
      />
      <p className={`mt-2.5 flex items-center gap-2 text-sm font-semibold ${tone}`}>
        <Icon aria-hidden className="size-4 shrink-0" />
        {t(text)}
      </p>
      {update.status === UpdateStatus.REJECTED && update.rejectReason && (
        <p className="mt-0.5 pl-6 text-sm">
          {t("updates.status.rejectedReason", { reason: update.rejectReason })}
        </p>
      )}
    </li>
  );
}
