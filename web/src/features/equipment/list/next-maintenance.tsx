import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { useDialText } from "../meters/use-dial-text";
import { useForecastText } from "../table/forecast-text";
import { nextServiceAt } from "../table/next-service";

export function NextMaintenance({ equipment, today }: { equipment: Equipment; today: string }) {
  const { t } = useTranslation();
  const dial = useDialText();
  const format = useFormat();
  const forecast = useForecastText()(equipment, today);
  const dueAt = nextServiceAt(equipment);
  const date = equipment.nextMaintenanceDate;
  if (!date && dueAt === undefined && !forecast) {
    return <span className="text-muted">{t("labels.due.noSchedule")}</span>;
  }
  return (
    <>
      {date && <span className="block whitespace-nowrap">{format.calendarDate(date)}</span>}
      {dueAt !== undefined && (
        <span className={`block md:whitespace-nowrap ${date ? "text-xs text-muted" : ""}`}>
          {t("equipment-list.atUsage", { amount: dial.due(equipment, dueAt) })}
        </span>
      )}
      {forecast && <span className="block text-xs text-muted">{forecast}</span>}
    </>
  );
}
