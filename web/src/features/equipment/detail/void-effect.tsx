import { useQuery } from "@connectrpc/connect-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import {
  EquipmentService,
  HistoryKind,
  type Equipment,
  type HistoryRecord,
  type PreviewVoidResponse,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";

/** What the void of an entry changes: meter, services and fuel. */
export function VoidEffect({ equipment, record }: { equipment: Equipment; record: HistoryRecord }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { data, isPending } = useQuery(
    EquipmentService.method.previewVoid,
    { equipmentId: equipment.id, entryId: record.id },
    { gcTime: 0, staleTime: 0 },
  );
  const meter = labels.amount(equipment.meterReading, unitWord(equipment.unit));
  return (
    <div aria-live="polite" aria-busy={isPending} className="space-y-1">
      {data && <Moved equipment={equipment} preview={data} />}
      <p>{consequence(t, record)}</p>
      {!data && !isPending && record.usage !== undefined && (
        <p>{t("equipment-detail.void.recalculated", { meter })}</p>
      )}
    </div>
  );
}

function Moved({ equipment, preview }: { equipment: Equipment; preview: PreviewVoidResponse }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const unit = unitWord(equipment.unit);
  const figures = (before: number | undefined, after: number | undefined) => ({
    before: before === undefined ? "–" : format.number(before),
    after: after === undefined ? "–" : labels.amount(after, unit),
  });
  const { currentUsage, meterReading, services } = preview;
  const meters = figures(equipment.meterReading, meterReading);
  const hasScales = hasEarlierMeters(equipment) || hasEarlierMeters(preview);
  return (
    <>
      {meterReading !== equipment.meterReading && (
        <p className="font-semibold">
          {meterReading > equipment.meterReading
            ? t("equipment-detail.void.upTo", meters)
            : t("equipment-detail.void.backTo", meters)}
        </p>
      )}
      {hasScales && currentUsage !== equipment.currentUsage && (
        <p className="font-semibold">
          {t("equipment-meters.void.life", figures(equipment.currentUsage, currentUsage))}
        </p>
      )}
      {services.map(({ taskName, before, after }) => (
        <p key={taskName} className="font-semibold">
          {t("equipment-detail.void.moved", {
            task: taskName || t("equipment-detail.tasks.regular"),
            ...figures(before, after),
          })}
        </p>
      ))}
    </>
  );
}

function consequence(t: TFunction, { kind, usage, fuelAdded }: HistoryRecord): string {
  switch (kind) {
    case HistoryKind.SERVICE:
      return t("equipment-detail.void.service");
    case HistoryKind.NOTE:
      return t("equipment-detail.void.note");
    case HistoryKind.METER:
      return t("equipment-meters.void.text");
    default:
      if (usage === undefined) return t("equipment-detail.void.fuelOnly");
      return fuelAdded > 0
        ? `${t("equipment-detail.void.stays")} ${t("equipment-detail.void.fuelToo")}`
        : t("equipment-detail.void.stays");
  }
}
