import { timestampDate } from "@bufbuild/protobuf/wkt";
import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Checkbox } from "#/shared/ui/toggle";
import { EquipmentName } from "./equipment-name";
import { useFlagTexts } from "./flags";
import { ReportedFuel, ReportedReading } from "./reported";

/** One update that waits: who, what, since when, the figures with what they change, and the decision. */
export function ReviewRow({
  update,
  equipment,
  selected,
  onSelect,
  busy,
  problem,
  onApply,
  onReject,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  selected: boolean;
  onSelect: (on: boolean) => void;
  busy: boolean;
  problem: string | undefined;
  onApply: () => void;
  onReject: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const flags = useFlagTexts()(update);
  const when = update.capturedAt ?? update.createdAt;
  const about = { name: update.equipmentName, operator: update.operatorName };
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 gap-y-3 p-4 md:px-5 @min-[40rem]:grid-cols-[1.5rem_minmax(0,1.1fr)_minmax(0,1fr)_auto] @min-[40rem]:gap-x-4">
      <div className="pt-px">
        {!update.belowCurrent && (
          <Checkbox
            aria-label={t("updates.queue.select", about)}
            checked={selected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        )}
      </div>
      <div className="min-w-0">
        <p className="font-semibold">
          <EquipmentName update={update} exists={equipment !== undefined} />
        </p>
        <p className="text-sm text-muted">{update.operatorName}</p>
        {when && <p className="text-sm text-muted">{format.instant(timestampDate(when))}</p>}
        {flags.length > 0 && (
          <p className="mt-2 flex flex-wrap gap-1.5">
            {flags.map((flag) => (
              <Badge key={flag} icon={<TriangleAlert aria-hidden className="size-3.5" />}>
                {flag}
              </Badge>
            ))}
          </p>
        )}
      </div>
      <div className="col-start-2 min-w-0 @min-[40rem]:col-start-auto">
        <ReportedReading update={update} unit={equipment?.unit} />
        <ReportedFuel update={update} />
        {update.notes && <p className="mt-1 text-sm whitespace-pre-line">{update.notes}</p>}
      </div>
      <div className="col-start-2 flex gap-2 @min-[40rem]:col-start-auto @max-[40rem]:[&>*]:flex-1">
        <Button
          size="small"
          variant="primary"
          onClick={onApply}
          pending={busy}
          pendingLabel={t("updates.queue.applying")}
        >
          {t("updates.queue.apply")}
        </Button>
        <Button
          size="small"
          onClick={onReject}
          disabledReason={busy ? t("updates.queue.applying") : undefined}
        >
          {t("updates.queue.reject")}
        </Button>
      </div>
      {problem && (
        <p
          role="alert"
          className="col-start-2 -col-end-1 flex gap-2 text-sm font-semibold text-danger"
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {problem}
        </p>
      )}
    </li>
  );
}
