import { timestampDate } from "@bufbuild/protobuf/wkt";
import { clsx } from "clsx";
import { ArrowLeftRight, CircleCheck, Zap } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { StatusBadge } from "#/shared/ui/status-badge";
import { useNotesText } from "#/shared/words/replaced-note";
import { CapturedOn } from "../captured-on";
import { EquipmentName } from "../equipment-name";
import { Reported } from "./reported";

export function RecentRow({
  update,
  equipment,
  pulse,
  busy,
  problem,
  onAcknowledge,
  onTakeBack,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  pulse: boolean;
  busy: boolean;
  problem: string | undefined;
  onAcknowledge: () => void;
  onTakeBack: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const notesText = useNotesText();
  const severe = equipment?.severelyCritical ?? false;
  const critical = severe || (equipment?.critical ?? false);
  const unseen = update.status === UpdateStatus.RECENT;
  const when = update.capturedAt ?? update.createdAt;
  const Icon = unseen ? Zap : CircleCheck;
  return (
    <li
      className={clsx(
        "px-4 py-3.5 md:px-5",
        pulse && critical && "critical-pulse",
        pulse && severe && "severe-pulse",
      )}
    >
      <div className="flex items-start justify-between gap-3">
        <p className="min-w-0 font-semibold text-balance">
          <EquipmentName update={update} equipment={equipment} />
        </p>
        {critical && (
          <StatusBadge severity={severe ? "over" : "due"}>
            {severe ? t("review.recent.severe") : t("review.recent.critical")}
          </StatusBadge>
        )}
      </div>
      <p className="text-sm text-muted">
        {when
          ? t("review.queue.by", {
              name: update.operatorName,
              when: format.instant(timestampDate(when)),
            })
          : update.operatorName}
        <CapturedOn update={update} />
      </p>
      <div className="mt-1">
        <Reported update={update} unit={equipment?.unit} />
        {update.notes && (
          <p className="mt-1 text-sm whitespace-pre-line">{notesText(update.notes)}</p>
        )}
        {update.reportedEquipmentName && (
          <p className="mt-1 flex items-center gap-1.5 text-sm text-muted">
            <ArrowLeftRight aria-hidden className="size-4 shrink-0" />
            {t("review.recent.moved", { name: update.reportedEquipmentName })}
          </p>
        )}
      </div>
      <div className="mt-1 flex flex-wrap items-center justify-between gap-2">
        <p className="flex items-center gap-1.5 text-sm text-muted">
          <Icon aria-hidden className="size-4 shrink-0" />
          {unseen ? t("updates.status.recent") : t("updates.status.applied")}
        </p>
        {unseen && (
          <div className="flex flex-wrap gap-2">
            <Button
              size="small"
              variant="quiet"
              onClick={onTakeBack}
              {...(busy && { disabledReason: t("review.summary.busy") })}
            >
              {t("review.recent.takeBack")}
            </Button>
            <Button
              size="small"
              onClick={onAcknowledge}
              pending={busy}
              pendingLabel={t("review.recent.acknowledging")}
            >
              {t("review.recent.acknowledge")}
            </Button>
          </div>
        )}
      </div>
      {problem && (
        <p role="alert" className="mt-1 text-sm font-semibold text-danger">
          {problem}
        </p>
      )}
    </li>
  );
}
